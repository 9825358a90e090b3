// One WebSocket of the terminal's protocol: frames in, frames out, and the notice that the other side is gone although
// nobody has said so.
import { type Frame, messageFrame, pingFrame, pongFrame, readFrame } from '@bowline/contract/terminal/frames'
import {
  type ClientMessage,
  ServerMessage,
  TERMINAL,
  TERMINAL_PATH,
  TERMINAL_SUBPROTOCOL,
} from '@bowline/contract/terminal/messages'
import type { z } from 'zod'

export interface FrameSocketEvents {
  opened(): void
  message(message: ServerMessage): void
  frame(frame: Extract<Frame, { kind: 'data' | 'taken' }>): void
  /** Round trip of a ping, milliseconds. */
  answered(roundTripMs: number): void
  /** Called exactly once, last. */
  closed(): void
}

export interface FrameSocket {
  /** Nothing is sent on a socket that is not open. */
  send(frame: Uint8Array<ArrayBuffer>): void
  say(message: z.input<typeof ClientMessage>): void
  /** Measures a round trip, which also tells whether the other side is there. */
  ping(): void
  close(): void
}

export interface FrameSocketParts {
  /** `https://host` of the server. */
  readonly origin: string
  readonly openSocket: (url: string, protocol: string) => WebSocket
  readonly later: (work: () => void, delayMs: number) => () => void
  readonly now: () => number
}

export function openFrameSocket(parts: FrameSocketParts, events: FrameSocketEvents): FrameSocket {
  const url = new URL(TERMINAL_PATH, parts.origin.replace(/^http/, 'ws'))
  const socket = parts.openSocket(url.href, TERMINAL_SUBPROTOCOL)
  socket.binaryType = 'arraybuffer'
  let isOver = false
  let askedAt: number | undefined
  let cancel = parts.later(quiet, TERMINAL.quietMs)

  /** Asks when it has been quiet, and takes silence for the end. */
  function quiet(): void {
    if (askedAt !== undefined) return over()
    ping()
    cancel = parts.later(quiet, TERMINAL.quietMs)
  }

  function ping(): void {
    askedAt = parts.now()
    send(pingFrame(Math.floor(askedAt)))
  }

  function over(): void {
    if (isOver) return
    isOver = true
    cancel()
    socket.close()
    events.closed()
  }

  function send(frame: Uint8Array<ArrayBuffer>): void {
    if (socket.readyState === socket.OPEN) socket.send(frame)
  }

  function receive(frame: Frame): void {
    switch (frame.kind) {
      case 'message': {
        const parsed = ServerMessage.safeParse(JSON.parse(frame.text))
        if (parsed.success) events.message(parsed.data)
        return
      }
      case 'ping':
        return send(pongFrame(frame.mark))
      case 'pong':
        if (askedAt !== undefined) events.answered(parts.now() - askedAt)
        askedAt = undefined
        return
      default:
        events.frame(frame)
    }
  }

  socket.addEventListener('open', () => {
    if (!isOver) events.opened()
  })
  socket.addEventListener('message', (event) => {
    const data: unknown = event.data
    const frame = data instanceof ArrayBuffer ? readFrame(new Uint8Array(data)) : undefined
    if (frame && !isOver) receive(frame)
  })
  socket.addEventListener('close', over)
  return {
    send,
    say: (message) => send(messageFrame(message)),
    ping,
    close: over,
  }
}
