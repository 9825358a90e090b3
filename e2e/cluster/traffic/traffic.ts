// Everything that people send through a node, at once: what each fault of a cluster is crossed with.
import { createHash } from 'node:crypto'
import { until } from '../../support/wait.ts'
import { numberedHash, numberedProgram } from '../numbered.ts'
import { openClusterTerminal } from '../terminal.ts'
import { fetchNumbered } from './http.ts'
import type { Ended, Lane, Running } from './lane.ts'
import { startForward, startRecorded, startSftp, startShell } from './ssh-kinds.ts'

async function startTerminal(lane: Lane): Promise<{ ended: Running }> {
  const { terminal, shown } = await openClusterTerminal(lane.agent, lane.node, () => lane.node)
  // The first line must not follow the shell's prompt.
  const program = `echo; python3 -c '${numberedProgram(lane.seconds)}'; exit\r`
  terminal.input(new TextEncoder().encode(program.replaceAll('\n', '\r')))
  const isOver = (): boolean => ['ended', 'refused'].includes(terminal.state.get().kind)
  const numbered = (): string => [...shown().matchAll(/^(\d+)\r$/gm)].map(([, line]) => `${line}\n`).join('')
  await until('the terminal shows lines', () => isOver() || numbered() !== '')
  const ended = until('the terminal has ended', isOver, 120_000).then((): Ended => {
    const state = terminal.state.get()
    const isWhole = state.kind === 'ended' && state.exit?.status === 0
    const cause = isWhole ? '' : state.kind === 'ended' ? `${state.cause.by} ${state.cause.reason}` : state.kind
    const got = createHash('sha256').update(numbered()).digest('hex')
    return { session: `web terminal ${lane.name}`, wanted: numberedHash(lane.seconds), got, cause }
  })
  return { ended }
}

async function startTunnel({ name, node, service, seconds }: Lane): Promise<{ ended: Running }> {
  const { ended } = await fetchNumbered({ port: Number(new URL(node.origin).port), host: service.tunnel }, seconds)
  return {
    ended: ended.then(({ got, cause }) => ({ session: `tunnel ${name}`, wanted: numberedHash(seconds), got, cause })),
  }
}

const KINDS = [startShell, startSftp, startForward, startTerminal, startRecorded, startTunnel]

/** What has begun, of all kinds. */
export interface Traffic {
  /** How each kind has ended. */
  readonly ended: Promise<readonly Ended[]>
}

/** Starts all six kinds and waits until each has begun to arrive. */
export async function startTraffic(lane: Lane): Promise<Traffic> {
  const running = await Promise.all(KINDS.map((start) => start(lane)))
  const ended = Promise.all(running.map((one) => one.ended))
  ended.catch(() => undefined)
  return { ended }
}

/** Kinds whose bytes differ or which ended early, each with its cause; empty when all are complete. */
export const brokenOf = (all: readonly Ended[]): string[] =>
  all.flatMap(({ session, wanted, got, cause }) =>
    cause === '' && wanted === got ? [] : [`${session}: ${cause || 'other bytes than the device wrote'}`],
  )
