// TLS with client certificates in front of a server that has none, as operators put it in front of a container engine.
import { once } from 'node:events'
import { connect } from 'node:net'
import { createServer } from 'node:tls'
import { listeningPort } from '@bowline/base/testing/listening-port'

export interface TlsDoor {
  readonly port: number
  close(): void
}

/** @param pems texts: the CA of the clients, and the door's certificate with its key */
export async function startTlsDoor(
  inside: { readonly host: string; readonly port: number },
  pems: { readonly ca: string; readonly cert: string; readonly key: string },
): Promise<TlsDoor> {
  const options = { ...pems, requestCert: true, rejectUnauthorized: true, allowHalfOpen: true }
  const server = createServer(options, (socket) => {
    const inner = connect({ ...inside, allowHalfOpen: true })
    socket.pipe(inner).pipe(socket)
    socket.on('error', () => inner.destroy())
    inner.on('error', () => socket.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { port: listeningPort(server), close: () => void server.close() }
}
