// The product's version, as clients and agents are told.
import packageFile from '../../package.json' with { type: 'json' }

export const VERSION = `v${packageFile.version}`
