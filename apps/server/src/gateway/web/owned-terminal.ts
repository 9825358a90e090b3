// The terminal of somebody who signs in on a device: a connection of the gateway behind the protocol of browsers, and
// what others may join once its person has signed in.
import type { PeerAddress } from '@bowline/ssh/api'
import type { Clock } from '@bowline/base/clock'
import type { TicketTarget } from '../../terminals/tickets.ts'
import type { Gateway } from '../gateway.ts'
import type { Connection } from '../connection.ts'
import type { SharedTerminal } from '../sharing/shared-terminal.ts'
import type { SharedTerminals } from '../sharing/shared-terminals.ts'
import type { ResumableTerminal } from './resumable-terminals.ts'
import {
  type TerminalView,
  type WebConnection,
  type WebRun,
  createWebConnection,
  isTerminal,
} from './web-connection.ts'
import { type FrameSocket, createWebTerminal } from './web-terminal.ts'

export interface OwnedTerminalDeps {
  readonly gateway: Pick<Gateway, 'admitWeb'>
  readonly shared: Pick<SharedTerminals, 'share'>
  readonly clock: Clock
  /** How long a terminal is kept without a connection. */
  readonly resumeSeconds: number
}

export interface OwnedTerminalParts {
  readonly target: TicketTarget
  readonly run: WebRun
  readonly peer: PeerAddress
  readonly socket: FrameSocket
  /** Nothing is left to resume. */
  readonly ended: () => void
}

export interface OwnedTerminal extends ResumableTerminal {
  readonly connection: ResumableTerminal['connection'] &
    Pick<WebConnection, 'sessionId' | 'attempt' | 'refuse' | 'start'>
  /** Lets others ask to join, from the accepted login on; files and terminals of programs are not shared. */
  share(): void
}

/** @returns the reason of a refusal where the gateway admits no connection */
export function openOwnedTerminal(
  { gateway, shared: terminals, clock, resumeSeconds }: OwnedTerminalDeps,
  { target, run, peer, socket, ended }: OwnedTerminalParts,
): OwnedTerminal | string {
  let entered: { readonly connection: WebConnection; readonly handler: Connection } | undefined
  let shared: SharedTerminal | undefined
  const terminal = createWebTerminal({
    clock,
    connection: () => ({
      input: (bytes) => (shared ? shared.typed(bytes) : entered?.connection.input(bytes)),
      drained: () => entered?.connection.drained(),
      disconnect: (cause) => entered?.connection.disconnect(cause),
      leave: (message) => entered?.connection.leave(message),
    }),
    resumeSeconds,
    ended,
  })
  const { view } = terminal
  const sharedView: TerminalView = {
    output(bytes) {
      const goesOn = view.output(bytes)
      shared?.output(bytes)
      return goesOn
    },
    consumed: (count) => (shared ? shared.consumed(count) : view.consumed(count)),
    exit: (how) => view.exit(how),
    closed(cause) {
      shared?.end()
      view.closed(cause)
    },
  }
  const login = `${target.username}@${target.device}`
  const refusal = gateway.admitWeb(
    peer.address,
    { person: target.person, isProgram: target.name === undefined },
    (cause) => terminal.setCause(cause),
    (handler) => {
      const connection = createWebConnection({ handler, view: sharedView, peer, login, clock })
      entered = { connection, handler }
      return connection
    },
  )
  if (refusal !== undefined || !entered) return refusal ?? 'refused'
  const { connection, handler } = entered
  terminal.begin(socket)

  function share(): void {
    const { person, name } = target
    const accepted = handler.login
    if (!isTerminal(run) || person === undefined || name === undefined || !accepted) return
    shared = terminals.share({
      session: connection.sessionId,
      login: accepted,
      owner: { person, name },
      size: { columns: run.columns, rows: run.rows },
      address: () => connection.peer.address,
      isHere: () => terminal.isAttached,
      tell: (message) => terminal.send(message),
      input: (bytes) => connection.input(bytes),
      consumed: (count) => view.consumed(count),
      since: (offset) => terminal.since(offset),
      mark: (text) => handler.mark(text),
    })
  }

  return {
    terminal,
    connection: {
      ...connection,
      get peer() {
        return connection.peer
      },
      resize(size) {
        connection.resize(size)
        shared?.resize({ columns: size.columns, rows: size.rows })
      },
    },
    moved: () => handler.moved(connection),
    resumed: () => shared?.refresh(),
    get shared() {
      return shared
    },
    share,
  }
}
