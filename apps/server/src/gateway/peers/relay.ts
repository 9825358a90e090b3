// The far end: streams that another node opens for devices whose links this node holds. Each is joined with a stream of
// the device. Credit returns to a sender when the other side's link has taken its bytes, so a slow reader at the end of
// two hops stops the process at its source.
import type { Link, LinkCause, LinkMessage, LinkStream, StreamHandler, StreamKind } from '@bowline/link/api'
import { createFlow } from '../forward/pipe.ts'
import type { Agents } from '../links/agents.ts'
import type { HeldLink } from '../links/handovers.ts'
import type { ReverseStreams } from '../links/reverse-streams.ts'
import { continueTrace, endOnce } from '../../platform/tracing/spans.ts'
import { PeerControl, PeerOpen, endMessage, toCause } from './envelope.ts'
import { writeCopy } from './relayed-bytes.ts'

const refuse = (reason: string, message: string): LinkCause => ({ by: 'gateway', reason, message })
const MALFORMED = refuse('protocol', 'The header of the stream is malformed.')
const NOT_HELD = refuse('not-held', 'The server does not hold the link of this device any more.')
const STALE = refuse('stale-epoch', 'The device has reconnected.')
const FOREIGN = refuse('refused', 'The device is of another namespace.')
const UNKNOWN_STREAM = refuse('refused', 'The stream refers to a login that is not there.')

/** Fields of headers that name another stream of the same link, and the kind that it must be of. */
const REFERENCES = { login: 'auth', agent: 'listen', x11: 'listen' } as const satisfies Record<string, StreamKind>

/** A stream of the other node, and the device's stream that it continues on. */
interface Joined {
  readonly kind: StreamKind
  readonly link: Link
  readonly device: LinkStream
}

export interface RelayDeps {
  readonly agents: Pick<Agents, 'held' | 'heldBefore'>
  readonly reverse: ReverseStreams
  /** The link between the nodes. */
  readonly between: Link
}

export interface Relay {
  /** A stream that the other node opens on a device of this one. */
  open(kind: StreamKind, header: LinkMessage, raw: LinkStream): StreamHandler | LinkCause
  /** Logins of the other node on devices of this one. */
  readonly loginCount: number
}

export function createRelay({ agents, reverse, between }: RelayDeps): Relay {
  /** By id on the link between the nodes. Only what the other node has opened itself can be referred to. */
  const joined = new Map<number, Joined>()

  function open(kind: StreamKind, header: LinkMessage, raw: LinkStream): StreamHandler | LinkCause {
    const parsed = PeerOpen.safeParse(header)
    if (!parsed.success) return MALFORMED
    const { tenant, device: uid, epoch, window } = parsed.data
    const newest = agents.held(uid)
    // Streams continue on a link that the device has handed over.
    const held = newest?.epoch === epoch ? newest : (agents.heldBefore(uid, epoch) ?? newest)
    if (!held) return NOT_HELD
    if (held.device.tenant !== tenant) return FOREIGN
    if (held.epoch !== epoch) return STALE
    const translated = translate(parsed.data.header, held)
    if (!translated) return UNKNOWN_STREAM
    const ends: { handler?: StreamHandler } = {}
    let forget = (): void => undefined
    const answering = continueTrace('node.relay', parsed.data.header['trace'], { 'bowline.stream': kind })
    const device = held.link.open(
      kind,
      translated,
      (opened) => {
        const join = joinStreams(opened, raw, {
          answered: () => endOnce(answering),
          ended() {
            endOnce(answering)
            joined.delete(raw.id)
            forget()
          },
        })
        ends.handler = join.far
        return join.device
      },
      window === undefined ? {} : { windowBytes: window },
    )
    joined.set(raw.id, { kind, link: held.link, device })
    if (kind === 'listen') forget = passConnections(held, device, raw)
    return ends.handler ?? NOT_HELD
  }

  /** With the ids of the device's link; undefined when a stream that is referred to is not one of this login's. */
  function translate(header: LinkMessage, { link }: HeldLink): LinkMessage | undefined {
    const translated: Record<string, unknown> = { ...header }
    for (const [field, kind] of Object.entries(REFERENCES)) {
      const id = header[field]
      if (id === undefined) continue
      const found = typeof id === 'number' ? joined.get(id) : undefined
      if (found?.kind !== kind || found.link !== link) return undefined
      translated[field] = found.device.id
    }
    return translated
  }

  return {
    open,
    get loginCount() {
      return [...joined.values()].filter(({ kind }) => kind === 'auth').length
    },
  }

  /** Lets connections at a listener through to the node whose client listens. */
  function passConnections({ link, epoch, device }: HeldLink, listener: LinkStream, raw: LinkStream): () => void {
    return reverse.expect(link, listener.id, (origin, accepted) => {
      const envelope = { tenant: device.tenant, device: device.uid, epoch, header: { listen: raw.id, origin } }
      const ends: { handler?: StreamHandler } = {}
      between.open('accept', envelope, (far) => {
        const join = joinStreams(accepted, far, {})
        ends.handler = join.device
        return join.far
      })
      return ends.handler ?? { data: () => undefined, closed: () => undefined }
    })
  }
}

interface Watcher {
  /** Called with each message of the device. */
  answered?(): void
  /** Called once, when the first of both streams has ended. */
  ended?(): void
}

/** Joins a stream of a device with one of another node. */
function joinStreams(
  device: LinkStream,
  far: LinkStream,
  watcher: Watcher,
): { readonly device: StreamHandler; readonly far: StreamHandler } {
  const toDevice = createFlow(
    (bytes, lane) => writeCopy(device, bytes, lane),
    (count) => far.consumed(count),
    () => device.queuedBytes,
  )
  const toFar = createFlow(
    (bytes, lane) => writeCopy(far, bytes, lane),
    (count) => device.consumed(count),
    () => far.queuedBytes,
  )
  /** Announced by the other node: it closes after everything queued. */
  let announced: LinkCause | undefined
  let isOver = false
  const over = (): boolean => {
    const first = !isOver
    isOver = true
    if (first) watcher.ended?.()
    return first
  }
  return {
    device: {
      transient: true,
      data: (bytes, lane) => toFar.pass(bytes, lane),
      drain: () => toDevice.drained(),
      eof: () => far.eof(),
      control(message) {
        watcher.answered?.()
        far.control({ message })
      },
      closed(cause) {
        if (!over()) return
        far.control(endMessage(cause))
        far.close(cause)
      },
    },
    far: {
      transient: true,
      data: (bytes, lane) => toDevice.pass(bytes, lane),
      drain: () => toFar.drained(),
      eof: () => device.eof(),
      control(message) {
        const parsed = PeerControl.safeParse(message)
        if (!parsed.success) return far.close(MALFORMED, 'drop')
        if ('end' in parsed.data) announced = toCause(parsed.data.end)
        else device.control(parsed.data.message, parsed.data.overtaking ? 'overtaking' : 'in-order')
      },
      closed(cause) {
        if (!over()) return
        if (announced) device.close(announced)
        else device.close({ by: cause.by, reason: cause.reason, message: cause.message }, 'drop')
      },
    },
  }
}
