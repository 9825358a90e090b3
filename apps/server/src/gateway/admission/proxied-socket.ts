// Finds the client's address of a trusted proxy's socket, before anything else is read from it.
import type { Socket } from 'node:net'
import type { Clock } from '@bowline/base/clock'
import { type ProxySource, readProxyHeader } from './proxy-header.ts'

/** A proxy sends its header at once; a client that waits for our identification is no proxy. */
const TIMEOUT_MS = 1_000

/**
 * Reads the PROXY header of a socket and leaves the rest for the next reader. Without a header the connection is the
 * proxy's own.
 * @param done called once, unless the socket closes before: with the header's source, or undefined for the socket's own
 *   address; 'malformed' for an invalid header
 */
export function readProxySource(
  socket: Socket,
  clock: Clock,
  done: (source: ProxySource | undefined | 'malformed') => void,
): void {
  let read = Buffer.alloc(0)
  const settle = (source: ProxySource | undefined | 'malformed', headerBytes: number): void => {
    cancel()
    socket.off('readable', look).off('close', cancel)
    const rest = read.subarray(headerBytes)
    if (rest.length > 0) socket.unshift(rest)
    done(source)
  }
  const look = (): void => {
    for (let chunk = toBuffer(socket.read()); chunk; chunk = toBuffer(socket.read()))
      read = Buffer.concat([read, chunk])
    if (read.length === 0) return
    const header = readProxyHeader(read)
    if (header.kind === 'none') settle(undefined, 0)
    if (header.kind === 'malformed') settle('malformed', 0)
    if (header.kind === 'header') settle(header.source, header.bytes)
  }
  const cancel = clock.after(TIMEOUT_MS, () => settle(read.length === 0 ? undefined : 'malformed', 0))
  socket.on('readable', look).once('close', cancel)
}

function toBuffer(chunk: unknown): Buffer | undefined {
  return Buffer.isBuffer(chunk) ? chunk : undefined
}
