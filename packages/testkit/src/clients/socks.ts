// A minimal SOCKS 5 client (RFC 1928), sufficient for `ssh -D`.
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

/** @throws {Error} when the proxy refuses, with its reply code */
export async function connectThroughSocks(proxyPort: number, port: number): Promise<Socket> {
  const socket = connect(proxyPort, '127.0.0.1')
  socket.write(Buffer.of(5, 1, 0))
  await read(socket, 2)
  socket.write(Buffer.of(5, 1, 0, 1, 127, 0, 0, 1, port >> 8, port & 0xff))
  const reply = await read(socket, 10)
  if (reply[1] !== 0) throw new Error(`the SOCKS proxy answers ${reply[1]}`)
  return socket
}

async function read(socket: Socket, bytes: number): Promise<Buffer> {
  for (;;) {
    const got: unknown = socket.read(bytes)
    if (Buffer.isBuffer(got)) return got
    if (socket.readableEnded) throw new Error('the SOCKS proxy closed the connection')
    await once(socket, 'readable')
  }
}
