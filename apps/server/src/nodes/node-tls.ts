// Connections between nodes: TLS 1.3, each end with a key of its own whose hash the node's row in the database has. No
// authority is asked and no name is compared; a key that no live node has ends the connection before a byte is read.
import { type TLSSocket, connect, createServer, type Server } from 'node:tls'
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import { sourceKey } from '../platform/network/address.ts'
import { publicKeyPin, type TlsMaterial } from '../platform/network/certificate.ts'

/** Version of what is spoken on these connections. */
const PROTOCOL = 'bowline-node/1'
/** Until a connection is authenticated. */
const HANDSHAKE_MS = 5_000
/** Connections that are not authenticated yet: in all, and of one source, so that a stranger keeps no node from another. */
const MAX_HANDSHAKES = 512
const MAX_HANDSHAKES_OF_SOURCE = 32
/** Connections of one source: each costs a key exchange. A node dials another at most every 200 ms. */
const CONNECTIONS = { perSecond: 10, burst: 64 }

const SHARED = { minVersion: 'TLSv1.3', ALPNProtocols: [PROTOCOL] } as const

/** Hash of the other end's key as the `nodes` table has it; '' if it has shown none or speaks another protocol. */
function pinOf(socket: TLSSocket): string {
  const certificate = socket.getPeerX509Certificate()
  return certificate && socket.alpnProtocol === PROTOCOL ? publicKeyPin(certificate.toString()) : ''
}

/**
 * Dials a node.
 * @param address host:port
 * @param pin key that the node must have
 * @throws {Error} when it cannot be reached, does not answer in time or has another key
 */
export function dialNode(address: string, pin: string, own: TlsMaterial, clock: Clock): Promise<TLSSocket> {
  const at = address.lastIndexOf(':')
  const host = address.slice(0, at).replace(/^\[(.*)\]$/, '$1')
  return new Promise((resolve, reject) => {
    // The pin takes the place of the authority.
    const socket = connect({ host, port: Number(address.slice(at + 1)), ...own, ...SHARED, rejectUnauthorized: false })
    const fail = (error: Error): void => {
      cancel()
      socket.destroy()
      reject(error)
    }
    const cancel = clock.after(HANDSHAKE_MS, () => fail(new Error('the node does not answer in time')))
    socket.once('error', fail)
    socket.once('secureConnect', () => {
      if (pinOf(socket) !== pin) return fail(new Error('the node has another key than its row in the database'))
      cancel()
      socket.off('error', fail)
      resolve(socket)
    })
  })
}

/**
 * Listens for other nodes.
 * @param accepted called with each connection whose end has proved to have the key with this pin
 * @param refused called for each connection that is dropped unheard, with its address
 */
export function listenForNodes(
  own: TlsMaterial,
  clock: Clock,
  accepted: (socket: TLSSocket, pin: string) => void,
  refused: (address: string) => void,
): Server {
  const connections = new RateLimiter(clock, CONNECTIONS)
  /** Handshakes by their source. */
  const handshakes = new Map<string, number>()
  let total = 0
  const server = createServer({
    ...own,
    ...SHARED,
    requestCert: true,
    rejectUnauthorized: false,
    handshakeTimeout: HANDSHAKE_MS,
  })
  server.on('connection', (socket) => {
    const address = socket.remoteAddress ?? ''
    const source = sourceKey(address)
    const held = handshakes.get(source) ?? 0
    if (total >= MAX_HANDSHAKES || held >= MAX_HANDSHAKES_OF_SOURCE || !connections.take(source)) {
      socket.destroy()
      return refused(address)
    }
    total += 1
    handshakes.set(source, held + 1)
    socket.once('close', settle)
    const cancel = clock.after(HANDSHAKE_MS, settle)
    let isSettled = false
    function settle(): void {
      if (isSettled) return
      isSettled = true
      cancel()
      total -= 1
      const left = (handshakes.get(source) ?? 1) - 1
      if (left > 0) handshakes.set(source, left)
      else handshakes.delete(source)
    }
  })
  server.on('tlsClientError', (_, socket) => socket.destroy())
  server.on('secureConnection', (socket) => {
    socket.on('error', () => undefined)
    const pin = pinOf(socket)
    if (pin === '') return void socket.destroy()
    accepted(socket, pin)
  })
  return server
}
