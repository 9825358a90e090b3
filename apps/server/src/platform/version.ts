// The product's version, as reported to clients and agents.
import packageFile from '../../package.json' with { type: 'json' }

export const VERSION = `v${packageFile.version}`
