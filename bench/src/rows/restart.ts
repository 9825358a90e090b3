// Restarts the server under all its agents: time until the last one is back, and the longest event loop stall
// meanwhile.
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startFleet } from '@bowline/testkit/fleet/fleet'
import { readMetrics } from '../measure/metrics.ts'
import type { BenchOptions } from '../options.ts'
import type { Row } from '../row.ts'
import { acceptAll, withDatabase } from '../site/seed.ts'
import { startSite } from '../site/site.ts'
import { spreadOf } from '../measure/statistics.ts'
import { TARGETS } from '../targets.ts'

const SCRAPE_MS = 250
/** The agent's backoff counts a link as settled after 30 s; a restart finds settled links. */
const SETTLE_MS = 31_000

export async function measureRestart(options: BenchOptions): Promise<Row[]> {
  const folder = join(options.folder, 'restart')
  await using site = await startSite({ folder, nodeFlags: options.nodeFlags('restart') })
  await using fleet = await startFleet()
  options.say(`restart: registering ${options.agents} agents`)
  await fleet.do({ type: 'register', origin: site.origin, tenant: site.tenant, count: options.agents })
  await withDatabase(folder, acceptAll)
  await fleet.do({ type: 'link', origin: site.origin, count: options.agents })
  const measured = { back: [] as number[], out: [] as number[], stall: [] as number[] }
  for (let repeat = 0; repeat < options.repeats; repeat += 1) {
    await pause(SETTLE_MS)
    const stoppedAt = performance.now()
    await site.stop()
    await site.start()
    const listeningAt = performance.now()
    const storm = new AbortController()
    const worst = watchStalls(site.origin, storm.signal)
    const failures = await fleet.do({ type: 'relinked' })
    await countedByServer(site.origin, options.agents)
    const back = (performance.now() - listeningAt) / 1_000
    storm.abort()
    measured.back.push(back)
    measured.out.push((listeningAt - stoppedAt) / 1_000)
    measured.stall.push(await worst)
    options.say(
      `restart: back in ${back.toFixed(1)} s, worst stall ${measured.stall.at(-1)?.toFixed(0)} ms; ${tell(failures)}`,
    )
  }
  const { back, out, stall } = measured
  return [
    {
      id: 'restart.back',
      work: `${options.agents} agents back after the server listens again`,
      peer: '',
      unit: 'seconds',
      measured: spreadOf(back),
      target: TARGETS.restart.back,
      note: `after ${spreadOf(out).median.toFixed(1)} s from SIGTERM to listening`,
      samples: { s: back, 'outage s': out },
    },
    {
      id: 'restart.stall',
      work: 'longest stall of the event loop meanwhile',
      peer: '',
      unit: 'ms',
      measured: spreadOf(stall),
      target: TARGETS.restart.stall,
      note: '',
      samples: { ms: stall },
    },
  ]
}

export function tell(failures: Readonly<Record<string, number>>): string {
  const reasons = Object.entries(failures).map(([reason, count]) => `${count} ${reason}`)
  return `failed attempts: ${reasons.join(', ') || 'none'}`
}

/** Scrapes until aborted. @returns the longest event loop iteration, in milliseconds */
export async function watchStalls(origin: string, signal: AbortSignal): Promise<number> {
  let worst = 0
  while (!signal.aborted) {
    worst = Math.max(worst, (await readMetrics(origin)).stallMs)
    await pause(SCRAPE_MS)
  }
  return Math.max(worst, (await readMetrics(origin)).stallMs)
}

/** The last link may have been accepted before it is counted. */
export async function countedByServer(origin: string, count: number): Promise<void> {
  while ((await readMetrics(origin)).agents < count) await pause(20)
}
