// Generates the script behind `curl …/install.sh | sh`, with this server's address.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Architecture } from './bundles.ts'

export interface ScriptDefaults {
  /** Origin the script is fetched from. */
  readonly serverAddress: string
  /** UUID of the namespace, or '' if the user of the script must supply it. */
  readonly tenantId: string
  /** `sha256//…` of the server's key, or ''. */
  readonly pin: string
  /** '' to use the agent's default. */
  readonly preferredHostname: string
  readonly preferredIdentity: string
  /** Seconds. */
  readonly keepaliveInterval: string
  /** Key by which the agents are signed, or '': then devices do not update by themselves. */
  readonly updateKey: string
  /** SHA-256 of each archive, or '' if not known yet: then the script fetches it from the server. */
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
    UPDATE_KEY: defaults.updateKey,
    SUM_X: defaults.sums.x64,
    SUM_ARM: defaults.sums.arm64,
  }
  return template.replaceAll(/@([A-Z_]+)@/g, (mark, name: string) => (name in values ? word(values[name] ?? '') : mark))
}

/** Quotes a value as one word of sh. It may come from the Host header and must not be executed. */
function word(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`
}
