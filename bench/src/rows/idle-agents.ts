// Memory of the server per idle agent: growth of its anonymous memory from a few linked agents to all of them,
// garbage collected on both sides.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startFleet } from '@bowline/testkit/fleet/fleet'
import { collectGarbage } from '../inspector.ts'
import type { BenchOptions } from '../options.ts'
import { memoryOf } from '../measure/proc.ts'
import type { Row, Target } from '../row.ts'
import { acceptAll, withDatabase } from '../site/seed.ts'
import { type Site, certificateOf, startSite } from '../site/site.ts'
import { spreadOf } from '../measure/statistics.ts'
import { TARGETS } from '../targets.ts'

/** Agents linked before the first measurement: one-time costs of code, caches and connections are not counted. */
const FIRST = 50
/** Longer than one round of pings (20 s): an idle link has done everything periodic by then. */
const IDLE_MS = 25_000

export async function measureIdleAgents(options: BenchOptions): Promise<Row[]> {
  if (options.agents <= FIRST) throw new Error(`--agents must be above ${FIRST}`)
  const folder = join(options.folder, 'idle')
  await using site = await startSite({ folder, nodeFlags: [...options.nodeFlags('idle'), '--inspect=127.0.0.1:0'] })
  await using fleet = await startFleet()
  options.say(`idle: registering ${options.agents} agents`)
  await fleet.do({ type: 'register', origin: site.origin, tenant: site.tenant, count: options.agents })
  await withDatabase(folder, acceptAll)
  const { pin, settings } = await certificateOf(folder)
  const kinds = {
    plain: { origin: { origin: site.origin }, settings: {} },
    tls: { origin: { origin: site.origin.replace('http:', 'https:'), pin }, settings },
  } as const
  const used: Record<'plain' | 'tls', number[]> = { plain: [], tls: [] }
  for (let repeat = 0; repeat < options.repeats; repeat += 1) {
    for (const kind of ['plain', 'tls'] as const) {
      const { origin, settings } = kinds[kind]
      // A new process each time: memory left by earlier links would be reused.
      await site.stop()
      await site.start(settings)
      await fleet.do({ type: 'link', ...origin, count: FIRST })
      const before = await settled(site)
      await fleet.do({ type: 'link', ...origin, count: options.agents })
      await pause(IDLE_MS)
      const perAgent = ((await settled(site)) - before) / (options.agents - FIRST) / 1e3
      used[kind].push(perAgent)
      options.say(`idle ${kind}: ${perAgent.toFixed(1)} KB`)
      await fleet.do({ type: 'park' })
    }
  }
  const row = (kind: 'plain' | 'tls', where: string, target: Target): Row => ({
    id: `idle.${kind}`,
    work: `server memory per idle agent at ${options.agents}, ${where}`,
    peer: '',
    unit: 'KB',
    measured: spreadOf(used[kind]),
    target,
    note: 'growth of anonymous memory after garbage collection',
    samples: { KB: used[kind] },
  })
  return [
    row('plain', 'behind a TLS proxy', TARGETS.idleAgent.plain),
    row('tls', 'TLS in process', TARGETS.idleAgent.tls),
  ]
}

/** Memory of the server once it is idle and garbage is collected, bytes. */
async function settled(site: Site): Promise<number> {
  await pause(2_000)
  await collectGarbage(site.server)
  await pause(1_000)
  return (await memoryOf(site.server.pid)).anonymous
}
