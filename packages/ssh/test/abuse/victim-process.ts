// Starts the victim process and collects its reports.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Report } from './victim.ts'

/** What happened in the victim during an attack. */
export interface Toll {
  readonly longestTurnMs: number
  readonly longestPauseMs: number
  readonly rssPeak: number
  /** After the last connection has ended. */
  readonly rss: number
  readonly causes: Readonly<Record<string, number>>
}

export interface VictimProcess extends Disposable {
  readonly port: number
  readonly alive: boolean
  report(): Promise<Report>
  /** Waits until no connection is open, and returns the totals since the last call. */
  settled(): Promise<Toll>
}

export async function startVictim(): Promise<VictimProcess> {
  const path = join(import.meta.dirname, 'victim.ts')
  const child = spawn(process.execPath, ['--expose-gc', path], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // Freed memory returns to the system at once: measures what the server holds, not what malloc keeps.
    env: { ...process.env, MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '65536', MALLOC_MMAP_THRESHOLD_: '65536' },
  })
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the server ended with ${String(code)}`)))
  // Handled by whoever waits for a report; prevents an unhandled rejection otherwise.
  ended.catch(() => undefined)
  let since: Report[] = []
  const next = async (): Promise<Report> => {
    const [report] = (await Promise.race([once(child, 'message'), ended])) as [Report]
    since.push(report)
    return report
  }
  const { port } = await next()
  const report = (): Promise<Report> => {
    const answer = next()
    child.send('report')
    return answer
  }
  return {
    port,
    get alive() {
      return child.exitCode === null && child.signalCode === null
    },
    report,
    async settled() {
      let last = await report()
      while (last.open > 0) last = await report()
      const toll = sum(since)
      since = []
      return toll
    },
    [Symbol.dispose]() {
      child.disconnect()
    },
  }
}

function sum(reports: readonly Report[]): Toll {
  const causes: Record<string, number> = {}
  for (const report of reports) {
    for (const [cause, count] of Object.entries(report.causes)) causes[cause] = (causes[cause] ?? 0) + count
  }
  const most = (field: 'longestTurnMs' | 'longestPauseMs' | 'rssPeak') =>
    Math.max(...reports.map((report) => report[field]))
  return {
    longestTurnMs: most('longestTurnMs'),
    longestPauseMs: most('longestPauseMs'),
    rssPeak: most('rssPeak'),
    rss: reports.at(-1)?.rss ?? 0,
    causes,
  }
}
