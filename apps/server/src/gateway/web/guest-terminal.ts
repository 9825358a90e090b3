// The terminal of somebody who joins that of another person: the protocol and its resumption as for any terminal, on a
// place there instead of a connection of its own. It never makes the owner wait.
import { TERMINAL } from '@bowline/contract/terminal/messages'
import type { PeerAddress } from '@bowline/ssh/api'
import type { Clock } from '@bowline/base/clock'
import type { JoinTarget } from '../../terminals/tickets.ts'
import type { GuestLine, GuestPlace } from '../sharing/guest.ts'
import type { SharedTerminals } from '../sharing/shared-terminals.ts'
import type { ResumableTerminal } from './resumable-terminals.ts'
import { type FrameSocket, createWebTerminal } from './web-terminal.ts'

export interface GuestTerminalParts {
  readonly shared: Pick<SharedTerminals, 'ask'>
  readonly clock: Clock
  /** How long the place is kept without a connection. */
  readonly resumeSeconds: number
  readonly target: JoinTarget
  readonly peer: PeerAddress
  readonly socket: FrameSocket
  /** The owner has consented: from now on the terminal can be resumed. @returns the resumption token */
  readonly admitted: () => string
  /** Nothing is left to resume. */
  readonly ended: () => void
}

/** Asks to join; what comes of it is sent to the browser. */
export function askToJoin({
  shared,
  clock,
  resumeSeconds,
  target,
  socket,
  ...parts
}: GuestTerminalParts): ResumableTerminal {
  let { peer } = parts
  let isOver = false
  /** Bytes that wait beyond the window of a terminal. */
  let excess = 0
  let isFull = false
  const leave = (): void => place?.leave()
  const terminal = createWebTerminal({
    clock,
    connection: () => ({
      input: (bytes) => place?.input(bytes),
      drained() {
        isFull = false
        excess = 0
      },
      disconnect: leave,
      leave,
    }),
    resumeSeconds,
    ended: parts.ended,
  })
  const line: GuestLine = {
    admitted(message) {
      terminal.send(message)
      terminal.send({ type: 'ready', token: parts.admitted(), seconds: resumeSeconds })
    },
    say: (message) => terminal.send(message),
    output(bytes) {
      if (isFull) excess += bytes.length
      isFull = !terminal.view.output(bytes)
      return excess <= TERMINAL.guestBacklogBytes
    },
    consumed: (count) => terminal.view.consumed(count),
    end(cause) {
      if (isOver) return
      isOver = true
      terminal.abandon({ type: 'ended', ...cause })
    },
  }
  terminal.begin(socket)
  const { person, name, signIn } = target
  const guest = {
    person,
    name,
    signIn,
    get address() {
      return peer.address
    },
  }
  // Nothing is typed before the browser is told of the answer.
  const place: GuestPlace | undefined = shared.ask(target, guest, line)
  return {
    terminal,
    connection: {
      get peer() {
        return peer
      },
      moveTo: (next) => (peer = next),
      // The size is the owner's.
      resize: () => undefined,
      disconnect: leave,
      leave,
    },
    moved: async () => place?.moved(),
    resumed: () => place?.resumed(),
    shared: undefined,
  }
}
