// One terminal of our own protocol, from `ready` to its last word: a numbered stream each way that outlives its WebSocket.
// What the browser has not confirmed is kept and sent again on the next WebSocket; while nothing confirms, the device is
// not read. See contract/terminal/messages.ts.
import { type Frame, dataFrame, messageFrame, pongFrame, takenFrame } from '@bowline/contract/terminal/frames'
import { type ServerMessage, TERMINAL } from '@bowline/contract/terminal/messages'
import type { Clock } from '@bowline/base/clock'
import type { SessionCause } from '../../sessions/service.ts'
import { RetainedOutput } from './retained-output.ts'
import type { TerminalView, WebConnection } from './web-connection.ts'
import { withoutPrefix } from '../record/texts.ts'

/** What carries frames for a while. */
export interface FrameSocket {
  send(frame: Uint8Array): void
  close(): void
  /** Bytes that have not left yet. */
  readonly bufferedBytes: number
}

export interface WebTerminal {
  readonly view: TerminalView
  /** What the row will say of the end; the person is told so. */
  setCause(cause: SessionCause): void
  /** Begins on its first socket. */
  begin(socket: FrameSocket): void
  /**
   * Goes on over a new socket; an earlier one is closed. Both sides learn what the other has.
   * @param from bytes of output that the browser has received
   * @returns false when that cannot be
   */
  resume(socket: FrameSocket, from: number): boolean
  /** The socket is gone: the session waits for another one, unless the person has finished. */
  detach(socket: FrameSocket, isFinished: boolean): void
  /** @returns the rule that the frame breaks */
  receive(frame: Frame): string | undefined
  send(message: ServerMessage): void
  /** The person has finished with it. */
  leave(): void
}

export interface WebTerminalParts {
  readonly clock: Clock
  readonly connection: () => WebConnection
  /** Nothing is left to be taken up. */
  readonly over: () => void
}

const LOST = 'The browser was gone for a minute.'
/** A browser that asks and never reads. */
const MAX_UNSENT_BYTES = 2 * TERMINAL.outputWindowBytes

export function createWebTerminal({ clock, connection, over }: WebTerminalParts): WebTerminal {
  const output = new RetainedOutput()
  /** Offset of the next byte to send on the present socket. */
  let sent = 0
  let socket: FrameSocket | undefined
  let received = 0
  let taken = 0
  let isFull = false
  /** Said after the output, and again on each socket until the person has heard it. */
  const last: ServerMessage[] = []
  let lastSent = 0
  let cause: SessionCause | undefined
  let isEnded = false
  let cancelWait = (): void => undefined

  function pump(): void {
    if (!socket) return
    while (sent < output.end && sent - output.start < TERMINAL.outputWindowBytes) {
      const room = output.start + TERMINAL.outputWindowBytes - sent
      const piece = output.piece(sent, Math.min(TERMINAL.pieceBytes, room))
      socket.send(dataFrame(sent, piece))
      sent += piece.length
    }
    if (sent < output.end) return
    for (const message of last.slice(lastSent)) socket.send(messageFrame(message))
    lastSent = last.length
  }

  function release(total: number): string | undefined {
    if (total > sent) return 'it confirms what was not sent'
    // A resumption has confirmed more already: what the page has received, it keeps.
    if (total > output.start) output.release(total)
    if (isFull && output.end - output.start < TERMINAL.outputWindowBytes / 2) {
      isFull = false
      connection().drained()
    }
    pump()
    return undefined
  }

  /** What has arrived already comes again after a resumption. */
  function input(offset: number, bytes: Uint8Array): string | undefined {
    if (offset > received) return 'input is missing'
    const fresh = bytes.subarray(received - offset)
    if (received + fresh.length - taken > TERMINAL.inputWindowBytes) return 'more input than the window allows'
    received += fresh.length
    if (fresh.length > 0) connection().input(fresh)
    return undefined
  }

  function wait(): void {
    cancelWait()
    cancelWait = clock.after(TERMINAL.resumeSeconds * 1_000, () => {
      connection().disconnect({ by: 'peer', reason: 'connection-lost', message: LOST })
      socket?.close()
      over()
    })
  }

  function leave(): void {
    connection().leave('The person closed the terminal.')
    cancelWait()
    socket?.close()
    over()
  }

  const view: TerminalView = {
    output(bytes) {
      output.append(bytes)
      pump()
      isFull ||= output.end - output.start >= TERMINAL.outputWindowBytes
      return !isFull
    },
    consumed(count) {
      taken += count
      if (!socket) return
      // Each byte may be told of: a browser that sends and never reads is gone.
      if (socket.bufferedBytes > MAX_UNSENT_BYTES) socket.close()
      else socket.send(takenFrame(taken))
    },
    exit(end) {
      last.push({ type: 'exit', ...end })
      pump()
    },
    closed({ reason, message }) {
      isEnded = true
      const text = withoutPrefix(message)
      last.push({ type: 'ended', by: cause?.by ?? 'gateway', reason: cause?.reason ?? reason, message: text })
      pump()
      // Clients that disconnect without `bye` are not waited for.
      wait()
    },
  }

  return {
    view,
    setCause: (found) => (cause = found),
    begin(first) {
      socket = first
    },
    resume(next, from) {
      if (from > sent || !output.release(from)) return false
      const earlier = socket
      socket = next
      earlier?.close()
      if (!isEnded) cancelWait()
      sent = from
      lastSent = 0
      next.send(messageFrame({ type: 'resumed', received } satisfies ServerMessage))
      next.send(takenFrame(taken))
      release(from)
      return true
    },
    detach(gone, isFinished) {
      // Another one has taken its place.
      if (socket !== gone) return
      socket = undefined
      if (isFinished) leave()
      else wait()
    },
    receive(frame) {
      if (frame.kind === 'data') return input(frame.offset, frame.bytes)
      if (frame.kind === 'taken') return release(frame.total)
      if (frame.kind === 'ping') {
        socket?.send(pongFrame(frame.mark))
        if ((socket?.bufferedBytes ?? 0) > MAX_UNSENT_BYTES) return 'it asks and does not read'
      }
      return undefined
    },
    send(message) {
      socket?.send(messageFrame(message))
      pump()
    },
    leave,
  }
}
