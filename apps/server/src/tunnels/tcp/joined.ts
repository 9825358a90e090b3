// Joins a client's connection with the service's, byte for byte. Each side may end its half on its own, and what the
// other still has to send arrives.
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Accounting } from '../proxy/accounting.ts'

/** @param over called once, when both connections have closed */
export function joinConnections(
  socket: Socket,
  service: Duplex,
  { sent, received }: Pick<Accounting, 'sent' | 'received'>,
  over: () => void,
): void {
  let open = 2
  const closed = (): void => {
    open -= 1
    if (open === 0) over()
  }
  socket.on('data', (chunk: Buffer) => sent(chunk.length))
  service.on('data', (chunk: Buffer) => received(chunk.length))
  // A service that is lost must not look like one that has finished.
  service.on('error', () => socket.resetAndDestroy())
  socket.on('close', (hadError) => {
    if (hadError || !socket.readableEnded) service.destroy()
    closed()
  })
  service.on('close', () => {
    // What the service has sent is still on its way to a slow client.
    if (!socket.destroyed) socket.destroySoon()
    closed()
  })
  socket.pipe(service)
  service.pipe(socket)
}
