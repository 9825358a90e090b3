// The server that the abuse suite attacks, in a process of its own, watching itself. The parent sends any message and
// gets a `Report`; the first one comes by itself and tells the port.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SshConnection } from '../../src/api.ts'
import { OPEN_PROHIBITED } from '../../src/api.ts'
import { ShellChannel, rightPasswordOrAnyKey, startShellServer } from '../support/shell-server.ts'

export interface Report {
  readonly port: number
  /** Bytes, after a full collection; and the most seen since the last report. */
  readonly rss: number
  readonly rssPeak: number
  /**
   * Milliseconds since the last report: the most processor time that one turn of the event loop took, and the longest
   * pause by the clock, which on a busy machine also holds the time that others had the processor.
   */
  readonly longestTurnMs: number
  readonly longestPauseMs: number
  /** Connections that are open, and what those have sent that asked to sign in. */
  readonly open: number
  readonly bytesOut: number
  /** Why connections ended since the last report, by `by/reason`. */
  readonly causes: Readonly<Record<string, number>>
}

// Short times, so that the suite need not wait; every other limit is the default.
const limits = { identMs: 500, kexMs: 500, loginGraceMs: 1_500, rekeyMs: 500, rekeyBytes: 64 << 20 }
const SAMPLE_MS = 5

const connections = new Set<SshConnection>()
let causes: Record<string, number> = {}
const server = await startShellServer(
  { limits, methods: ['publickey', 'password', 'keyboard-interactive'] },
  {
    async authenticate(connection, attempt) {
      connections.add(connection)
      if (attempt.method !== 'keyboard-interactive') return rightPasswordOrAnyKey(attempt)
      await attempt.prompt('', '', [{ text: 'Code:', echo: true }])
      return { result: 'reject' }
    },
    open: (_connection, request) =>
      request.type === 'session'
        ? { accept: true, attach: (channel) => new ShellChannel(channel) }
        : { accept: false, code: OPEN_PROHIBITED, message: 'not here' },
    closed(connection, { by, reason }) {
      connections.delete(connection)
      causes[`${by}/${reason}`] = (causes[`${by}/${reason}`] ?? 0) + 1
    },
  },
)

const pauses = monitorEventLoopDelay({ resolution: SAMPLE_MS })
pauses.enable()
let rssPeak = 0
let longestTurn = 0
let spent = process.threadCpuUsage()
setInterval(() => {
  const now = process.threadCpuUsage()
  longestTurn = Math.max(longestTurn, now.user + now.system - spent.user - spent.system)
  spent = now
  rssPeak = Math.max(rssPeak, process.memoryUsage.rss())
}, SAMPLE_MS)

async function report(): Promise<void> {
  const seen = { longestTurnMs: longestTurn / 1_000, longestPauseMs: pauses.max / 1e6, rssPeak }
  for (let turn = 0; turn < 3; turn += 1) {
    // 'last-resort' also gives back what the young generation has grown to.
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    await nextTurn()
  }
  let bytesOut = 0
  for (const connection of connections) bytesOut += connection.bytesOut
  const now = { port: server.port, rss: process.memoryUsage.rss(), open: server.open, bytesOut, causes }
  causes = {}
  // What the collection took is not the attacks' doing.
  pauses.reset()
  longestTurn = 0
  rssPeak = 0
  spent = process.threadCpuUsage()
  process.send?.({ ...seen, ...now } satisfies Report)
}

process.on('message', () => void report())
process.on('disconnect', () => process.exit(0))
await report()
