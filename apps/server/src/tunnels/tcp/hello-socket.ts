// Waits for the first message of a TLS client on a socket, within limits of bytes and time. What has been read is given
// back, so that the next reader sees the connection from its first byte.
import type { Socket } from 'node:net'
import type { Clock } from '@bowline/base/clock'
import { type ClientHello, type HelloFault, MAX_HELLO_BYTES, readClientHello } from './client-hello.ts'

/** Time that a client has for its first message, in milliseconds. */
export const HELLO_TIMEOUT_MS = 5_000

export type Greeting =
  | Extract<ClientHello, { kind: 'hello' }>
  | { readonly kind: 'fault'; readonly fault: GreetingFault }
export type GreetingFault = HelloFault | 'timeout' | 'closed'

/** @param done called once; the socket is paused then */
export function readGreeting(socket: Socket, clock: Clock, done: (greeting: Greeting) => void): void {
  const chunks: Buffer[] = []
  let length = 0
  /** Bytes that the message needs at least, as far as it is known. */
  let needs = 1
  const settle = (greeting: Greeting): void => {
    cancel()
    socket.off('readable', look).off('close', closed).off('end', closed)
    if (length > 0 && greeting.kind === 'hello') socket.unshift(Buffer.concat(chunks))
    done(greeting)
  }
  const closed = (): void => settle({ kind: 'fault', fault: 'closed' })
  const look = (): void => {
    for (let chunk = take(socket); chunk; chunk = take(socket)) {
      chunks.push(chunk)
      length += chunk.length
    }
    if (length < Math.min(needs, MAX_HELLO_BYTES)) return
    const hello = readClientHello(Buffer.concat(chunks))
    if (hello.kind !== 'incomplete') return settle(hello)
    if (length >= MAX_HELLO_BYTES) return settle({ kind: 'fault', fault: 'too-long' })
    needs = hello.needs
  }
  const cancel = clock.after(HELLO_TIMEOUT_MS, () => settle({ kind: 'fault', fault: 'timeout' }))
  socket.on('readable', look).once('close', closed).once('end', closed)
}

function take(socket: Socket): Buffer | undefined {
  const chunk: unknown = socket.read()
  return Buffer.isBuffer(chunk) ? chunk : undefined
}
