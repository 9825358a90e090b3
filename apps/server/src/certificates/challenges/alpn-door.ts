// tls-alpn-01 (RFC 8737) at the port of https: connections that ask for `acme-tls/1` are taken before the handshake,
// because a certificate is chosen before the protocol is. All others keep the server's own certificate meanwhile.
import type { Socket } from 'node:net'
import { type SecureContext, type Server, createSecureContext, createServer } from 'node:tls'
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import { plainAddress, sourceKey } from '../../platform/network/address.ts'
import { readGreeting } from '../../tunnels/tcp/hello-socket.ts'
import { alpnCertificate } from './alpn-certificate.ts'

export interface AlpnDoorParts {
  readonly clock: Clock
  /** Finds the key authorization of a name with a pending order. */
  readonly find: (name: string) => Promise<string | undefined>
}

const PROTOCOL = 'acme-tls/1'
/** Connections per second and source that ask for a proof: each costs a query. */
const QUESTIONS = { perSecond: 5, burst: 50 }
const HANDSHAKE_MS = 10_000

/** Takes the connections of authorities from a server. Call it before the server listens. */
export function openAlpnDoor(server: Server, { clock, find }: AlpnDoorParts): void {
  const questions = new RateLimiter(clock, QUESTIONS)
  const prover = createServer({
    ALPNProtocols: [PROTOCOL],
    handshakeTimeout: HANDSHAKE_MS,
    SNICallback: (name, done) => void prove(name.toLowerCase(), done),
  })
  prover.on('secureConnection', (socket) => socket.on('error', () => undefined).end())
  prover.on('tlsClientError', (_, socket) => socket.destroy())

  async function prove(name: string, done: (error: Error | null, context?: SecureContext) => void): Promise<void> {
    let context: SecureContext
    try {
      const answer = await find(name)
      if (answer === undefined) throw new Error('no order is under way for this name')
      context = createSecureContext(await alpnCertificate(name, answer, clock.now()))
    } catch (error) {
      return done(error instanceof Error ? error : new Error(String(error)))
    }
    done(null, context)
  }

  // The first listener begins the handshake; those after it count connections.
  const [handshake, ...others] = server.listeners('connection')
  if (handshake === undefined) throw new Error('the server has no listener of its own for connections')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => undefined)
    readGreeting(socket, clock, (greeting) => {
      if (greeting.kind !== 'hello') return void socket.destroy()
      if (!greeting.protocols.includes(PROTOCOL)) return Reflect.apply(handshake, server, [socket])
      if (!questions.take(sourceKey(plainAddress(socket.remoteAddress ?? '')))) return void socket.destroy()
      prover.emit('connection', socket)
    })
  })
  for (const other of others) server.on('connection', other)
}
