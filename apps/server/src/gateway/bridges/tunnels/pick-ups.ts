// Streams of transport 1 that agents pick up: each is a WebSocket of its own, at an address that only its agent was told.
// It carries no other credential, so it cannot be guessed, and opens once.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '@bowline/base/clock'
import { acceptByteStream } from '@bowline/link/byte-stream'
import { refuseUpgrade } from '@bowline/link/upgrade'
import { WebSocketStream } from './web-socket-stream.ts'

export const PICK_UP_PATH = '/ssh/revdial'

export interface PickUps {
  /**
   * Expects a stream.
   * @param take called at most once
   * @returns the address to tell the agent, and how to expect it no more
   */
  expect(take: (stream: Duplex) => void): { readonly path: string; cancel(): void }
  /** Serves an upgrade at {@link PICK_UP_PATH}. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
}

export function createPickUps(clock: Clock): PickUps {
  const expected = new Map<string, (stream: Duplex) => void>()
  return {
    expect(take) {
      const secret = randomBytes(32).toString('hex')
      expected.set(secret, take)
      return {
        path: `${PICK_UP_PATH}?revdial.dialer=${secret.slice(0, 32)}&uuid=${secret.slice(32)}`,
        cancel: () => void expected.delete(secret),
      }
    },
    upgrade(request, socket, head) {
      const query = new URLSearchParams(request.url?.split('?')[1])
      const secret = `${query.get('revdial.dialer')}${query.get('uuid')}`
      const take = expected.get(secret)
      if (!take) return refuseUpgrade(socket, 400)
      expected.delete(secret)
      const transport = acceptByteStream(request, socket, head, clock)
      if (transport) take(new WebSocketStream(transport, socket))
    },
  }
}
