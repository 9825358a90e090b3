// The health of devices: polled from the links of this node, and written in batches.
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { ServerConfig } from '../config.ts'
import type { Schema } from '../db/schema.ts'
import { createHealthCollector } from '../device-health/collector.ts'
import type { Agents } from '../gateway/links/agents.ts'
import { type HealthPoller, createHealthPoller } from '../gateway/links/health-poller.ts'
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

/** @returns undefined when the setting is off */
export function startDeviceHealth(parts: DeviceHealthParts): Pick<HealthPoller, 'add'> | undefined {
  const { config, system, agents, clock, log, onEnd } = parts
  if (config.settings.BOWLINE_HEALTH === 'off') return undefined
  const collector = createHealthCollector({ system, clock, log })
  const poller = createHealthPoller({
    collector,
    clock,
    log,
    isNewest: (uid, link) => agents.find(uid) === link,
    random: Math.random,
  })
  onEnd(async () => {
    poller.close()
    await collector.close()
  })
  poller.start()
  collector.start()
  return poller
}
