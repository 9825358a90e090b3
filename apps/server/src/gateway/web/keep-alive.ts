// Detects dead browsers: terminates a WebSocket that answers no pings.
import { TERMINAL } from '@bowline/contract/terminal/messages'
import type { WebSocket } from 'ws'
import type { Clock } from '@bowline/base/clock'

const MISSES = 3
const MAX_UNSENT_BYTES = 2 * TERMINAL.outputWindowBytes

export function keepAlive(socket: WebSocket, clock: Clock): void {
  let unanswered = 0
  const reset = (): void => {
    unanswered = 0
  }
  const stop = clock.every(TERMINAL.quietMs, () => {
    if (unanswered >= MISSES) return socket.terminate()
    unanswered += 1
    socket.ping()
  })
  // No pong for a client that pings without reading: pongs would pile up.
  socket.on('ping', (data: Buffer) => {
    if (socket.bufferedAmount < MAX_UNSENT_BYTES) socket.pong(data)
  })
  socket.on('pong', reset).on('message', reset).on('close', stop)
}
