// The agent's configuration: environment settings and the rules between them. All problems are found before anything
// starts, and reported together.
import { resolve } from 'node:path'
import { ConfigError, parseSettings } from '@bowline/contract/config'
import { parsePin, parseServerAddress } from '@bowline/link/server-address'
import type { Server } from './device/server-api.ts'
import type { LogLevel } from './log.ts'

export interface AgentConfig {
  readonly server: Server
  /** Undefined: that of the pairing, which comes first. */
  readonly tenantId: string | undefined
  /** Presented at registration, so that a new device is tagged and accepted as the key says. */
  readonly installKey: string | undefined
  /** Absolute. */
  readonly keyFile: string
  readonly preferredHostname: string | undefined
  readonly preferredIdentity: string | undefined
  /** Single-user mode: the crypt(3) hash of its password. Undefined: the users of the system. */
  readonly singleUserHash: string | undefined
  /** Whether logins are checked by PAM; `auto`: if the machine has it. */
  readonly pam: 'on' | 'off' | 'auto'
  readonly pingMs: number
  /** Ends a user's processes when their client has disconnected. */
  readonly killOrphans: boolean
  /** Whether users' own `~/.ssh/rc` is run. */
  readonly permitUserRc: boolean
  /** Socket of the container engine that the server may use. */
  readonly engineSocket: string | undefined
  /** Whether the server gets reports of the device's health. */
  readonly reportsHealth: boolean
  /** By which updates of the agent are signed; undefined: it does not update itself. */
  readonly updateKey: string | undefined
  readonly logLevel: LogLevel
}

/**
 * @param options `singleUser`: single-user mode even for root
 * @throws {ConfigError} naming each invalid setting and its rule
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  options: { singleUser: boolean; uid: number },
): AgentConfig {
  const settings = parseSettings('agent', env)
  const isRoot = options.uid === 0
  const problems: string[] = []
  const address = parseServerAddress(settings.BOWLINE_SERVER_ADDRESS)
  if ('fault' in address) problems.push(`BOWLINE_SERVER_ADDRESS ${address.fault}.`)
  const pin = settings.BOWLINE_SERVER_PIN === undefined ? undefined : parsePin(settings.BOWLINE_SERVER_PIN)
  if (pin && 'fault' in pin) problems.push(`BOWLINE_SERVER_PIN ${pin.fault}.`)
  const hash = settings.BOWLINE_SINGLE_USER_PASSWORD
  if (hash === undefined && options.singleUser) {
    problems.push('BOWLINE_SINGLE_USER_PASSWORD is required in single-user mode.')
  } else if (hash === undefined && !isRoot) {
    problems.push(
      'BOWLINE_SINGLE_USER_PASSWORD is required unless the agent runs as root: without root it can serve its own user only.',
    )
  } else if (hash !== undefined && isRoot && !options.singleUser) {
    problems.push('BOWLINE_SINGLE_USER_PASSWORD is not for root: as root the agent serves the users of the system.')
  }
  if (settings.BOWLINE_PAM === 'on' && (!isRoot || hash !== undefined || options.singleUser)) {
    problems.push('BOWLINE_PAM is for root, where the agent serves the users of the system.')
  }
  if (settings.BOWLINE_INSTALL_KEY !== undefined && settings.BOWLINE_TENANT_ID === undefined) {
    problems.push('BOWLINE_TENANT_ID is required with BOWLINE_INSTALL_KEY: a key is one of a namespace.')
  }
  if (problems.length > 0 || 'fault' in address || (pin && 'fault' in pin)) throw new ConfigError(problems)
  return {
    server: { address: address.value, pins: pin?.value },
    tenantId: settings.BOWLINE_TENANT_ID,
    installKey: settings.BOWLINE_INSTALL_KEY,
    keyFile: resolve(settings.BOWLINE_PRIVATE_KEY ?? (isRoot ? '/etc/bowline/agent.key' : 'bowline-agent.key')),
    preferredHostname: settings.BOWLINE_PREFERRED_HOSTNAME,
    preferredIdentity: settings.BOWLINE_PREFERRED_IDENTITY,
    singleUserHash: hash,
    pam: hash === undefined && isRoot ? settings.BOWLINE_PAM : 'off',
    pingMs: settings.BOWLINE_KEEPALIVE_INTERVAL * 1_000,
    killOrphans: settings.BOWLINE_KILL_ORPHANS === 'on',
    permitUserRc: settings.BOWLINE_PERMIT_USER_RC === 'on',
    engineSocket: settings.BOWLINE_CONTAINERS,
    reportsHealth: settings.BOWLINE_HEALTH === 'on',
    updateKey: settings.BOWLINE_UPDATE_KEY,
    logLevel: settings.BOWLINE_LOG_LEVEL,
  }
}
