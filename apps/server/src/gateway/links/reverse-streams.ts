// Streams that devices open to the gateway: connections accepted by a listener that a client requested. All others are
// refused, so that a device can reach only clients that listen through it.
import type { Link, LinkCause, LinkMessage, LinkStream, StreamHandler, StreamKind } from '@bowline/link/api'
import { AcceptOpen } from '@bowline/link/stream-messages'

/** Accepts one connection of a listener. */
export type TakeConnection = (origin: AcceptOpen['origin'], stream: LinkStream) => StreamHandler

export interface ReverseStreams {
  /** Lets the device open streams for the listener of stream id `listen` on `link`. @returns cancel */
  expect(link: Link, listen: number, take: TakeConnection): () => void
  /** `LinkHandler.open` of a link; undefined while the link is not accepted yet. */
  open(link: Link | undefined, kind: StreamKind, header: LinkMessage, stream: LinkStream): StreamHandler | LinkCause
}

const NOT_ASKED: LinkCause = { by: 'gateway', reason: 'refused', message: 'Nobody has asked for this connection.' }

export function createReverseStreams(): ReverseStreams {
  const expected = new WeakMap<Link, Map<number, TakeConnection>>()
  return {
    expect(link, listen, take) {
      const takers = expected.get(link) ?? new Map<number, TakeConnection>()
      expected.set(link, takers.set(listen, take))
      return () => void takers.delete(listen)
    },
    open(link, kind, header, stream) {
      const asked = AcceptOpen.safeParse(header)
      if (!link || kind !== 'accept' || !asked.success) return NOT_ASKED
      const take = expected.get(link)?.get(asked.data.listen)
      return take ? take(asked.data.origin, stream) : NOT_ASKED
    },
  }
}
