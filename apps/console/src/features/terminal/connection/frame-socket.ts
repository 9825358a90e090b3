// One WebSocket of the terminal protocol: frames in, frames out, and detection of a connection that died silently.
import { type Frame, messageFrame, pingFrame, pongFrame, readFrame } from '@bowline/contract/terminal/frames'
import {
  type ClientMessage,
  ServerMessage,
  TERMINAL,
  TERMINAL_PATH,
  TERMINAL_SUBPROTOCOL,
} from '@bowline/contract/terminal/messages'
import type { z } from 'zod'

/** A close code of our own (RFC 6455 section 7.4.2): at 1000 and 1001 the server ends the session. */
const SUSPENDED = 4_001

/** Time for an answer when the browser says that it is offline; a server on this computer answers all the same. */
const DOUBT_MS = 1_000

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
  /** Does nothing unless the socket is open. */
  send(frame: Uint8Array<ArrayBuffer>): void
  say(message: z.input<typeof ClientMessage>): void
  /** Measures the round trip, which also checks that the peer is alive. */
  ping(): void
  /** Closes it unless the peer answers soon: the network may be gone. */
  doubt(): void
  /** Closes it because the page goes away, in a way that makes the server wait for the next one. */
  suspend(): void
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
  let pingedAt: number | undefined
  let cancel = parts.later(checkAlive, TERMINAL.quietMs)

  /** Pings after silence and closes the socket when no answer arrives. */
  function checkAlive(): void {
    if (pingedAt !== undefined) return end()
    ping()
    cancel = parts.later(checkAlive, TERMINAL.quietMs)
  }

  function ping(): void {
    pingedAt = parts.now()
    send(pingFrame(Math.floor(pingedAt)))
  }

  function doubt(): void {
    ping()
    cancel()
    cancel = parts.later(checkAlive, DOUBT_MS)
  }

  function end(): void {
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
        if (pingedAt !== undefined) events.answered(parts.now() - pingedAt)
        pingedAt = undefined
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
  socket.addEventListener('close', end)
  return {
    send,
    say: (message) => send(messageFrame(message)),
    ping,
    doubt,
    // The page may come back from the browser's cache: then the end of the socket is a drop like any other.
    suspend: () => socket.close(SUSPENDED),
    close: end,
  }
}
