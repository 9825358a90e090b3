// For tests: an engine on loopback that answers whatever it is told, byte for byte.
import { once } from 'node:events'
import { type Socket, createServer } from 'node:net'
import { listeningPort } from '@bowline/base/testing/listening-port'

export interface HostileEngine {
  readonly port: number
  /** Request lines it has seen. */
  readonly requests: readonly string[]
  close(): void
}

/** @param answer called with the first line and the head of each request */
export async function startHostileEngine(
  answer: (line: string, socket: Socket, head: string) => void,
): Promise<HostileEngine> {
  const sockets = new Set<Socket>()
  const requests: string[] = []
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
    let head = ''
    const read = (bytes: Buffer): void => {
      head += bytes.toString('latin1')
      if (!head.includes('\r\n\r\n')) return
      socket.off('data', read)
      const [line = ''] = head.split('\r\n')
      requests.push(line)
      answer(line, socket, head)
    }
    socket.on('data', read)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: listeningPort(server),
    requests,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** A whole answer with a body. */
export function answered(status: string, body: string, headers: readonly string[] = []): string {
  const lines = [`HTTP/1.1 ${status}`, `Content-Length: ${Buffer.byteLength(body)}`, ...headers, '', body]
  return lines.join('\r\n')
}

/** Writes the same bytes for as long as the other side reads. @returns how many were written so far */
export function endless(socket: Socket, bytes: Buffer): () => number {
  let written = 0
  const write = (): void => {
    while (!socket.destroyed && socket.write(bytes)) written += bytes.length
    written += bytes.length
  }
  socket.on('drain', write)
  write()
  return () => written
}
