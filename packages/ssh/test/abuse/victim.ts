// The server that the abuse suite attacks, in a separate process that monitors itself. It answers every message of the
// parent with a `Report`; the first one is sent unasked and carries the port.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { SshConnection } from '../../src/api.ts'
import { OPEN_PROHIBITED } from '../../src/api.ts'
import { ShellChannel, rightPasswordOrAnyKey, startShellServer } from '../support/shell-server.ts'

export interface Report {
  readonly port: number
  /** Bytes, after a full collection; and the peak since the last report. */
  readonly rss: number
  readonly rssPeak: number
  /**
   * Milliseconds since the last report: the most processor time of one event loop iteration, and the longest wall-clock
   * pause, which on a busy machine includes time that other processes ran.
   */
  readonly longestTurnMs: number
  readonly longestPauseMs: number
  /** Open connections, and bytes sent by those that requested authentication. */
  readonly open: number
  readonly bytesOut: number
  /** Why connections ended since the last report, by `by/reason`. */
  readonly causes: Readonly<Record<string, number>>
}

// Short timeouts, so that the suite does not wait; every other limit is the default.
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
    // 'last-resort' also shrinks the young generation.
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    await nextTurn()
  }
  let bytesOut = 0
  for (const connection of connections) bytesOut += connection.bytesOut
  const now = { port: server.port, rss: process.memoryUsage.rss(), open: server.open, bytesOut, causes }
  causes = {}
  // Pauses of the collection are not caused by the attacks.
  pauses.reset()
  longestTurn = 0
  rssPeak = 0
  spent = process.threadCpuUsage()
  process.send?.({ ...seen, ...now } satisfies Report)
}

process.on('message', () => void report())
process.on('disconnect', () => process.exit(0))
await report()
