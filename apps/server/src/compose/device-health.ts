// The health of devices: what this node asks of those whose links it holds, and how it is written.
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { ServerConfig } from '../config.ts'
import type { Schema } from '../db/schema.ts'
import { createHealthCollector } from '../device-health/collector.ts'
import type { Agents } from '../gateway/links/agents.ts'
import { type HealthRounds, createHealthRounds } from '../gateway/links/health-rounds.ts'
import type { Log } from '../platform/log.ts'

export interface DeviceHealthParts {
  readonly config: Pick<ServerConfig, 'settings'>
  readonly system: Kysely<Schema>
  readonly agents: Pick<Agents, 'find'>
  readonly clock: Clock
  readonly log: Log
  /** Called before the links have an end of their own, so that it ends after them. */
  readonly onEnd: (ending: () => Promise<void>) => void
}

/** @returns undefined where the server asks nothing */
export function startDeviceHealth(parts: DeviceHealthParts): Pick<HealthRounds, 'add'> | undefined {
  const { config, system, agents, clock, log, onEnd } = parts
  if (config.settings.BOWLINE_HEALTH === 'off') return undefined
  const collector = createHealthCollector({ system, clock, log })
  const rounds = createHealthRounds({
    collector,
    clock,
    log,
    isNewest: (uid, link) => agents.find(uid) === link,
    random: Math.random,
  })
  onEnd(async () => {
    rounds.close()
    await collector.close()
  })
  rounds.start()
  collector.start()
  return rounds
}
