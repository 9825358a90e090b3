// The type of an attack, and functions that attacks share.
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { TestClient } from '../support/test-client.ts'
import type { TestClientOptions } from '../support/test-client.ts'
import type { Report } from './victim.ts'

export interface Target {
  readonly port: number
  /** Requests the server's current report. */
  report(): Promise<Report>
}

export interface Attack {
  readonly name: string
  /** Causes with which the server ends its connections; each must occur, and no other. */
  readonly ends: readonly string[]
  /** The attacker closes connections itself. */
  readonly leaves: boolean
  run(target: Target): Promise<void>
}

export function dial({ port }: Target): Socket {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  socket.on('error', () => undefined)
  return socket
}

export const client = (target: Target, options?: TestClientOptions) => new TestClient(dial(target), options)

export async function signedIn(target: Target, options?: TestClientOptions): Promise<TestClient> {
  const attacker = client(target, options)
  await attacker.signIn()
  return attacker
}

/** Resolves when the server has ended the connection. */
export async function gone(socket: TestClient['socket']): Promise<void> {
  socket.resume()
  if (!socket.destroyed && !socket.closed) await once(socket, 'close')
}

export async function leave(attacker: TestClient): Promise<void> {
  attacker.socket.destroy()
  if (!attacker.socket.closed) await once(attacker.socket, 'close')
}
