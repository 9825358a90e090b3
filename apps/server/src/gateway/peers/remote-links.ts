// Links of devices that another node holds, as this gateway uses them: streams of the one link between the two nodes.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { HandlerOf, Link, LinkCause, LinkMessage, LinkStream, StreamHandler, StreamKind } from '@bowline/link/api'
import type { ReverseStreams } from '../links/reverse-streams.ts'
import { PeerOpen } from './envelope.ts'
import { type PeerStream, peerHandler } from './peer-stream.ts'

/** A device, and the claim of its link that is meant. */
export interface RemoteTarget {
  readonly tenant: TenantId
  readonly device: DeviceUid
  readonly epoch: number
}

export interface RemoteLinks {
  /** The link of a device. The same one for as long as it has streams: logins compare links. */
  find(target: RemoteTarget): Link
  /** A stream that the other node opens, for a connection at a device's listener. */
  open(header: LinkMessage, raw: LinkStream): StreamHandler | LinkCause
}

const NOT_ASKED: LinkCause = { by: 'gateway', reason: 'refused', message: 'Nobody has asked for this connection.' }

/** @param between the link between the two nodes */
export function createRemoteLinks(between: Link, reverse: ReverseStreams): RemoteLinks {
  /** By device and epoch: what runs on a link that the device has handed over goes on beside the newer one. */
  const links = new Map<string, RemoteLink>()
  return {
    find(target) {
      const key = keyOf(target)
      const known = links.get(key)
      if (known?.target.tenant === target.tenant) return known
      const link: RemoteLink = new RemoteLink(between, target, () => {
        if (links.get(key) === link) links.delete(key)
      })
      links.set(key, link)
      return link
    },
    open(header, raw) {
      const parsed = PeerOpen.safeParse(header)
      const link = parsed.success ? links.get(keyOf(parsed.data)) : undefined
      if (!parsed.success || !link) return NOT_ASKED
      let refusal: LinkCause | undefined
      const { handler } = peerHandler(raw, (stream) => {
        const taken = reverse.open(link, 'accept', parsed.data.header, stream)
        if (!('reason' in taken)) return taken
        refusal = taken
        return { data: () => undefined, closed: () => undefined }
      })
      return refusal ?? handler
    },
  }
}

function keyOf({ device, epoch }: Pick<RemoteTarget, 'device' | 'epoch'>): string {
  return `${device} ${epoch}`
}

class RemoteLink implements Link {
  readonly target: RemoteTarget
  readonly #between: Link
  readonly #idle: () => void
  readonly #streams = new Set<PeerStream>()

  /** @param idle called when its last stream has ended */
  constructor(between: Link, target: RemoteTarget, idle: () => void) {
    this.#between = between
    this.target = target
    this.#idle = idle
  }

  get streamCount(): number {
    return this.#streams.size
  }

  open(kind: StreamKind, header: LinkMessage, handler: HandlerOf, options: { windowBytes?: number } = {}): LinkStream {
    const { windowBytes } = options
    const envelope = { ...this.target, header, ...(windowBytes === undefined ? {} : { window: windowBytes }) }
    const near: { stream?: PeerStream } = {}
    const raw = this.#between.open(
      kind,
      envelope,
      (opened) => {
        const ends = peerHandler(opened, (stream) => this.#tracked(stream, handler))
        near.stream = ends.stream
        return ends.handler
      },
      options,
    )
    return near.stream ?? raw
  }

  /** The device's link is not this node's to drain. */
  goaway(): void {}

  /** Ends what this node has on the link. */
  close(cause: LinkCause): void {
    for (const stream of this.#streams) stream.close(cause, 'drop')
  }

  #tracked(stream: PeerStream, handler: HandlerOf): StreamHandler {
    const own = typeof handler === 'function' ? handler(stream) : handler
    this.#streams.add(stream)
    return {
      ...(own.transient ? { transient: true } : {}),
      data: (bytes, lane) => own.data(bytes, lane),
      drain: () => own.drain?.(),
      eof: () => own.eof?.(),
      control: (message) => own.control?.(message),
      closed: (cause) => {
        this.#streams.delete(stream)
        if (this.#streams.size === 0) this.#idle()
        own.closed(cause)
      },
    }
  }
}
