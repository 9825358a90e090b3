// One terminal of our own protocol: a numbered stream each way that outlives its WebSocket. Unconfirmed output is retained
// and sent again on the next WebSocket; without confirmations the device is paused. See contract/terminal/messages.ts.
import { type Frame, dataFrame, messageFrame, pongFrame, takenFrame } from '@bowline/contract/terminal/frames'
import { type ServerMessage, TERMINAL } from '@bowline/contract/terminal/messages'
import type { Clock } from '@bowline/base/clock'
import type { SessionCause } from '../../sessions/service.ts'
import { RetainedOutput } from './retained-output.ts'
import type { TerminalView, WebConnection } from './web-connection.ts'
import { withoutPrefix } from '../record/texts.ts'

/** Transport of frames; replaced on resumption. */
export interface FrameSocket {
  send(frame: Uint8Array): void
  close(): void
  /** Bytes not sent yet. */
  readonly bufferedBytes: number
}

export interface WebTerminal {
  readonly view: TerminalView
  /** Sets the cause of the end as stored in the row; the client receives it too. */
  setCause(cause: SessionCause): void
  /** Starts on the first socket. */
  begin(socket: FrameSocket): void
  /**
   * Continues on a new socket and closes an earlier one. Both sides exchange their offsets.
   * @param from bytes of output that the browser has received
   * @returns false when output from there is not retained
   */
  resume(socket: FrameSocket, from: number): boolean
  /** The socket closed: the session waits for another one, unless the user has finished. */
  detach(socket: FrameSocket, isFinished: boolean): void
  /** @returns the protocol violation, if any */
  receive(frame: Frame): string | undefined
  send(message: ServerMessage): void
  /** Ends the session at the user's request. */
  leave(): void
  /** Says last words ahead of what is still to be sent, and drops that: nothing is left to resume. */
  abandon(message: ServerMessage): void
  /** Whether it has a socket. */
  readonly isAttached: boolean
  /** Output from an offset on that the browser has not confirmed; the memory is valid until the next output. */
  since(offset: number): Iterable<Uint8Array>
}

export interface WebTerminalParts {
  readonly clock: Clock
  readonly connection: () => Pick<WebConnection, 'input' | 'drained' | 'disconnect' | 'leave'>
  /** How long it is kept without a connection. */
  readonly resumeSeconds: number
  /** Called when nothing is left to resume. */
  readonly ended: () => void
}

const LOST = 'The browser was disconnected for too long.'
/** So much unconfirmed output keeps a browser busy for longer than {@link FILL_MS}. */
const FLOOD_BYTES = 32 * 1024
const FILL_MS = 8
/** Limit for browsers that request replies and never read. */
const MAX_UNSENT_BYTES = 2 * TERMINAL.outputWindowBytes

export function createWebTerminal({ clock, connection, resumeSeconds, ended }: WebTerminalParts): WebTerminal {
  const output = new RetainedOutput()
  /** Offset of the next byte to send on the current socket. */
  let sent = 0
  let socket: FrameSocket | undefined
  let received = 0
  let taken = 0
  let isFull = false
  let isPumpDue = false
  /** Final messages: sent after the output, and again on each new socket. */
  const finalMessages: ServerMessage[] = []
  let finalMessagesSent = 0
  let cause: SessionCause | undefined
  let isEnded = false
  /** Nothing is left to resume: what the session still says is for nobody. */
  let isReleased = false
  let cancelResumeTimeout = (): void => undefined

  function pump(): void {
    if (!socket) return
    while (sent < output.end && sent - output.start < TERMINAL.outputWindowBytes) {
      const window = output.start + TERMINAL.outputWindowBytes
      const until = Math.min(sent + TERMINAL.outputPieceBytes, window, output.end)
      socket.send(dataFrame(sent, ...output.pieces(sent, until)))
      sent = until
    }
    if (sent < output.end) return
    for (const message of finalMessages.slice(finalMessagesSent)) socket.send(messageFrame(message))
    finalMessagesSent = finalMessages.length
  }

  /**
   * Sends at once what a person waits for, as the echo of a key. While the browser has enough to show, frames are filled:
   * devices send pieces of 4 KiB, and a frame costs both ends about as much whatever is in it.
   */
  function pumpFilled(): void {
    if (sent - output.start < FLOOD_BYTES || output.end - sent >= TERMINAL.outputPieceBytes) return pump()
    if (isPumpDue) return
    isPumpDue = true
    clock.after(FILL_MS, () => {
      isPumpDue = false
      pump()
    })
  }

  function confirm(total: number): string | undefined {
    if (total > sent) return 'it confirms what was not sent'
    // A resumption may have confirmed more already: the page keeps received output.
    if (total > output.start) output.release(total)
    if (isFull && output.end - output.start < TERMINAL.outputWindowBytes / 2) {
      isFull = false
      connection().drained()
    }
    pumpFilled()
    return undefined
  }

  /** After a resumption the client repeats input that may have arrived already. */
  function input(offset: number, bytes: Uint8Array): string | undefined {
    if (offset > received) return 'input is missing'
    const fresh = bytes.subarray(received - offset)
    if (received + fresh.length - taken > TERMINAL.inputWindowBytes) return 'more input than the window allows'
    received += fresh.length
    if (fresh.length > 0) connection().input(fresh)
    return undefined
  }

  function startResumeTimeout(seconds = resumeSeconds): void {
    cancelResumeTimeout()
    cancelResumeTimeout = clock.after(seconds * 1_000, () => {
      connection().disconnect({ by: 'peer', reason: 'connection-lost', message: LOST })
      release()
    })
  }

  function release(): void {
    isReleased = true
    cancelResumeTimeout()
    socket?.close()
    ended()
  }

  function leave(): void {
    connection().leave('The person closed the terminal.')
    release()
  }

  const view: TerminalView = {
    output(bytes) {
      output.append(bytes)
      pumpFilled()
      isFull ||= output.end - output.start >= TERMINAL.outputWindowBytes
      return !isFull
    },
    consumed(count) {
      taken += count
      if (!socket) return
      // Every byte can cause a frame: drop a browser that sends and never reads.
      if (socket.bufferedBytes > MAX_UNSENT_BYTES) socket.close()
      else socket.send(takenFrame(taken))
    },
    exit(end) {
      finalMessages.push({ type: 'exit', ...end })
      pump()
    },
    closed({ reason, message }) {
      isEnded = true
      if (isReleased) return
      const text = withoutPrefix(message)
      finalMessages.push({ type: 'ended', by: cause?.by ?? 'gateway', reason: cause?.reason ?? reason, message: text })
      pump()
      // No longer than the default: the output of an ended session counts toward no limit of sessions.
      startResumeTimeout(Math.min(resumeSeconds, TERMINAL.resumeSeconds))
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
      if (!isEnded) cancelResumeTimeout()
      sent = from
      finalMessagesSent = 0
      next.send(messageFrame({ type: 'resumed', received } satisfies ServerMessage))
      next.send(takenFrame(taken))
      confirm(from)
      return true
    },
    detach(gone, isFinished) {
      // Already replaced by another socket.
      if (socket !== gone) return
      socket = undefined
      if (isFinished) leave()
      else startResumeTimeout()
    },
    receive(frame) {
      if (frame.kind === 'data') return input(frame.offset, frame.bytes)
      if (frame.kind === 'taken') return confirm(frame.total)
      if (frame.kind === 'ping') {
        socket?.send(pongFrame(frame.mark))
        if ((socket?.bufferedBytes ?? 0) > MAX_UNSENT_BYTES) return 'it asks and does not read'
      }
      return undefined
    },
    send(message) {
      // Others cause messages, too: they do not gather for a browser that reads nothing.
      if (socket && socket.bufferedBytes > MAX_UNSENT_BYTES) return socket.close()
      socket?.send(messageFrame(message))
      pump()
    },
    leave,
    abandon(message) {
      socket?.send(messageFrame(message))
      socket?.close()
      socket = undefined
      output.release(output.end)
      cancelResumeTimeout()
      ended()
    },
    get isAttached() {
      return socket !== undefined
    },
    *since(offset) {
      if (offset < output.start) return
      yield* output.pieces(offset, output.end)
    },
  }
}
