// The SSH gateway with its parts: budgets, guesses, statements, and the settings of its transport.
import type { Clock } from '@bowline/base/clock'
import type { ServerConfig } from '../config.ts'
import type { Rates } from '../budgets/rates.ts'
import { createGuesses } from '../gateway/admission/guesses.ts'
import { type Gateway, type GatewayDeps, createGateway } from '../gateway/gateway.ts'
import { createDeviceChecks } from '../gateway/login/device-checks.ts'
import { signStatement } from '../gateway/login/statement.ts'
import type { InstanceKeys } from '../instance/keys.ts'
import type { Log } from '../platform/log.ts'
import type { Metrics } from '../platform/metrics.ts'
import { findKeyOwner } from '../public-keys/service.ts'
import { budgets, maxHeldBytes, sshOptions } from './budgets.ts'
import type { composeJudging } from './judging.ts'

type Given = 'agents' | 'live' | 'reverse' | 'recordings' | 'node' | 'reach' | 'factor' | 'isCutOff'

export interface GatewayParts extends Pick<GatewayDeps, Given> {
  readonly config: ServerConfig
  readonly keys: InstanceKeys
  readonly clock: Clock
  readonly log: Log
  /** Counts wrong passwords over all nodes; undefined for a server that runs by itself. */
  readonly rates: Rates | undefined
  readonly judging: ReturnType<typeof composeJudging>
  readonly metrics: Pick<Metrics, 'sshRefused' | 'sshClosed'>
}

export function composeGateway({ config, keys, clock, log, rates, judging, metrics, ...parts }: GatewayParts): Gateway {
  const { settings } = config
  return createGateway({
    ...judging,
    ...parts,
    log,
    ownerOfKey: findKeyOwner,
    checks: createDeviceChecks(clock),
    guesses: createGuesses(clock, rates),
    ...budgets(config, clock),
    sign: (statement) => signStatement(keys.statement.privateKey, statement, clock.now()),
    ssh: sshOptions(settings, keys),
    clock,
    isTrustedProxy: config.isTrustedProxy,
    host: settings.BOWLINE_HOST,
    port: settings.BOWLINE_SSH_PORT,
    maxHeldBytes: maxHeldBytes(settings),
    refused: (reason) => metrics.sshRefused.inc({ reason }),
    ended: ({ by, reason }, authenticated) =>
      metrics.sshClosed.inc({ by, reason, authenticated: String(authenticated) }),
  })
}
