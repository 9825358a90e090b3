// The script behind `curl …/install.sh | sh`, with this server's address filled in.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ScriptDefaults {
  /** Origin the script is fetched from. */
  readonly serverAddress: string
  /** UUID of the namespace, or '' when the caller of the script must say. */
  readonly tenantId: string
  /** `sha256//…` of the server's key, or ''. */
  readonly pin: string
}

const template = readFileSync(join(import.meta.dirname, 'install.sh'), 'utf8')

export function installScript({ serverAddress, tenantId, pin }: ScriptDefaults): string {
  return template
    .replace('@SERVER_ADDRESS@', () => word(serverAddress))
    .replace('@TENANT_ID@', () => word(tenantId))
    .replace('@SERVER_PIN@', () => word(pin))
}

/** A value as one word of sh. The Host header ends up here: nothing in it may be taken for a command. */
function word(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`
}
