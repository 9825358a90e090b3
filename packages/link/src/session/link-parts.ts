// Parameters of a link's constructor.
import type { Clock } from '@bowline/base/clock'
import type { LinkHandler, LinkOptions } from '../api.ts'
import type { Side } from '../wire/cause.ts'
import type { FrameDecoder } from '../wire/frame.ts'
import type { Transport } from './transport.ts'

export interface LinkParts {
  readonly transport: Transport
  /** The gateway opens even stream ids, the agent odd ones. */
  readonly side: Side
  readonly handler: LinkHandler
  readonly clock: Clock
  readonly options?: Partial<LinkOptions>
  /** Credit that the peer grants on every new stream, bytes. Default: the same as this side grants. */
  readonly peerWindowBytes?: number
  /**
   * True between two servers of one platform: a cause keeps the party that it names. Otherwise a peer on the agent's side
   * speaks for itself and the network only.
   */
  readonly believesCauses?: boolean
  /** The decoder that read the handshake, with its undecoded remainder. */
  readonly decoder?: FrameDecoder
  /** Called with what an owner's callback threw; the error is otherwise dropped. */
  report(error: unknown, callback: string): void
}
