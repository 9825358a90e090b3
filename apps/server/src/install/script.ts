// The script behind `curl …/install.sh | sh`, with this server's address filled in.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Architecture } from './bundles.ts'

export interface ScriptDefaults {
  /** Origin the script is fetched from. */
  readonly serverAddress: string
  /** UUID of the namespace, or '' when the caller of the script must say. */
  readonly tenantId: string
  /** `sha256//…` of the server's key, or ''. */
  readonly pin: string
  /** '' where the agent's own default is to count. */
  readonly preferredHostname: string
  readonly preferredIdentity: string
  /** Seconds. */
  readonly keepaliveInterval: string
  /** SHA-256 of each agent's archive, or '' where it is not known yet: then the script asks the server for it. */
  readonly sums: Readonly<Record<Architecture, string>>
}

const template = readFileSync(join(import.meta.dirname, 'install.sh'), 'utf8')

export function installScript(defaults: ScriptDefaults): string {
  const values: Readonly<Record<string, string>> = {
    SERVER_ADDRESS: defaults.serverAddress,
    TENANT_ID: defaults.tenantId,
    SERVER_PIN: defaults.pin,
    PREFERRED_HOSTNAME: defaults.preferredHostname,
    PREFERRED_IDENTITY: defaults.preferredIdentity,
    KEEPALIVE_INTERVAL: defaults.keepaliveInterval,
    SUM_X: defaults.sums.x64,
    SUM_ARM: defaults.sums.arm64,
  }
  return template.replaceAll(/@([A-Z_]+)@/g, (mark, name: string) => (name in values ? word(values[name] ?? '') : mark))
}

/** A value as one word of sh. The Host header ends up here: nothing in it may be taken for a command. */
function word(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`
}
