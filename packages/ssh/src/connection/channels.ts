// The channels of one connection: numbering, opening from either side, dispatch, and round-robin output.
import type { ChannelDecision, CloseCause } from '../api.ts'
import { OPEN_CONNECT_FAILED, OPEN_PROHIBITED, OPEN_RESOURCE_SHORTAGE, OPEN_UNKNOWN_TYPE } from '../api.ts'
import { ChannelRefused, type ClientChannelHandler } from '../client-api.ts'
import { protocolFault } from '../fault.ts'
import { PEER_OF } from '../transport/role.ts'
import * as n from '../wire/numbers.ts'
import { WireReader } from '../wire/reader.ts'
import { Channel } from './channel.ts'
import type { ChannelEnds, ChannelLink, RemoteEnd } from './channel-link.ts'
import { type OpenMessage, openConfirmation, openFailure, openRequest } from './channel-open.ts'
import { OpenPacer } from './open-pacer.ts'
import { MAX_DATA_BYTES } from './receive-window.ts'

/** Target sum of the initial windows of all channels, bytes; and the minimum per channel. */
const FIRST_WINDOWS_BYTES = 16 << 20
const MIN_WINDOW_BYTES = 64 * 1024
const MAX_DESCRIPTION_BYTES = 4_096

/** @typeParam Open what the peer may open */
export interface ChannelsEvents<Open extends { readonly type: string }> {
  /** Reads SSH_MSG_CHANNEL_OPEN. @throws {WireError} when it is malformed */
  read(payload: Uint8Array): OpenMessage<Open>
  /** Asks the embedding program to decide; undefined when it threw or rejected. */
  decide(request: Open): Promise<ChannelDecision | undefined>
}

/** A channel whose open we sent to the peer. */
interface Opening {
  readonly type: string
  readonly windowBytes: number
  attach(channel: Channel): ClientChannelHandler
  opened(channel: Channel): void
  refused(error: Error): void
}

export class Channels<Open extends { readonly type: string }> {
  readonly #link: ChannelLink
  readonly #events: ChannelsEvents<Open>
  readonly #pacer: OpenPacer
  readonly #open = new Map<number, Channel>()
  readonly #opening = new Map<number, Opening>()
  /** Numbers of channels whose decision is pending. */
  readonly #deciding = new Set<number>()
  #turn = 0
  #ended = false
  /** Set by no-more-sessions@openssh.com. */
  sessionsRefused = false

  constructor(link: ChannelLink, events: ChannelsEvents<Open>) {
    this.#link = link
    this.#events = events
    this.#pacer = new OpenPacer(link.limits.channelOpensPerSecond, link.now)
  }

  /** Channels open or being opened, from either side, except those that this side has closed. */
  get count(): number {
    let count = this.#opening.size + this.#deciding.size
    for (const channel of this.#open.values()) if (!channel.closing) count += 1
    return count
  }

  /** Bytes that wait for the side that they are for. */
  get heldBytes(): number {
    let bytes = 0
    for (const channel of this.#open.values()) bytes += channel.heldBytes
    return bytes
  }

  /** No channel has queued output. */
  get idle(): boolean {
    for (const channel of this.#open.values()) if (!channel.idle) return false
    return true
  }

  /** Handles SSH_MSG_CHANNEL_OPEN. */
  openFromPeer(payload: Buffer): void {
    const { remote, request } = this.#events.read(payload)
    const refusal = this.#refusal(remote, request)
    if (refusal || !request) {
      const [code, message] = refusal ?? [OPEN_UNKNOWN_TYPE, 'This channel type is not offered.']
      this.#link.send(openFailure(remote.id, code, message))
      return
    }
    const id = this.#freeNumber()
    this.#deciding.add(id)
    const decide = (): void => {
      if (this.#ended) return
      void this.#events.decide(request).then((decision) => {
        this.#deciding.delete(id)
        if (!this.#ended) this.#settle(id, request, remote, decision)
      })
    }
    const waitMs = this.#pacer.reserve()
    if (waitMs === 0) decide()
    else this.#link.after(waitMs, decide)
  }

  /** Opens a channel to the peer; `data` holds the type's own fields. */
  openTowardsPeer(type: string, data: Uint8Array, attach: Opening['attach']): Promise<Channel> {
    return new Promise((opened, refused) => {
      if (this.#ended) throw new Error('the connection has ended')
      const shortage = this.#shortage()
      if (shortage) throw new Error(shortage)
      const id = this.#freeNumber()
      const windowBytes = this.#firstWindow()
      this.#opening.set(id, { type, windowBytes, attach, opened, refused })
      this.#link.send(openRequest(type, id, windowBytes, MAX_DATA_BYTES, data))
    })
  }

  /** Handles messages 91 to 100. */
  receive(type: number, payload: Buffer): void {
    const reader = new WireReader(payload, 1)
    const id = reader.uint32('recipient channel')
    if (type === n.MSG_CHANNEL_OPEN_CONFIRMATION || type === n.MSG_CHANNEL_OPEN_FAILURE) {
      return this.#openAnswered(type, id, reader)
    }
    const channel = this.#open.get(id)
    if (!channel) throw protocolFault('unknown-channel', `Message ${type} names a channel that is not open.`)
    channel.receive(type, reader)
  }

  /** Lets every channel send, starting with a different one each time. */
  pump(): void {
    const channels = [...this.#open.values()]
    this.#turn += 1
    for (let index = 0; index < channels.length; index += 1) channels[(index + this.#turn) % channels.length]?.pump()
  }

  /** Both sides have closed: the number may be reused. */
  remove(id: number): void {
    this.#open.delete(id)
  }

  /** The connection has ended. */
  abort(cause: CloseCause): void {
    this.#ended = true
    for (const channel of this.#open.values()) channel.abort(cause)
    for (const opening of this.#opening.values())
      opening.refused(new Error(`the connection has ended: ${cause.reason}`))
    this.#open.clear()
    this.#opening.clear()
  }

  #refusal(remote: RemoteEnd, request: Open | undefined): readonly [number, string] | undefined {
    const { minPacketSize } = this.#link.limits
    const shortage = this.#shortage()
    if (shortage) return [OPEN_RESOURCE_SHORTAGE, shortage]
    if (remote.packetBytes < minPacketSize) {
      return [OPEN_RESOURCE_SHORTAGE, `The maximum packet size must be at least ${minPacketSize} bytes.`]
    }
    if (request?.type === 'session' && this.sessionsRefused) {
      return [OPEN_PROHIBITED, 'No more sessions were announced.']
    }
    return undefined
  }

  /** The reason why no further channel can be opened now. */
  #shortage(): string | undefined {
    const { channels } = this.#link.limits
    // A peer that never answers a close keeps the channel's number; those are limited, too.
    const isFull = this.count >= channels || this.#open.size >= 2 * channels
    return isFull ? `At most ${channels} channels are allowed.` : undefined
  }

  /**
   * Initial window of a new channel, bytes: full size for the first channels of a connection, smaller for the
   * hundredth, so that the sum of what a peer may send stays bounded. Sustained transfers get a larger one.
   */
  #firstWindow(): number {
    const share = Math.floor(FIRST_WINDOWS_BYTES / (this.count + 1))
    return Math.min(this.#link.limits.windowBytes, Math.max(MIN_WINDOW_BYTES, share))
  }

  #freeNumber(): number {
    let id = 0
    while (this.#open.has(id) || this.#opening.has(id) || this.#deciding.has(id)) id += 1
    return id
  }

  #settle(id: number, request: Open, remote: RemoteEnd, decision: ChannelDecision | undefined): void {
    if (!decision?.accept) {
      const { code, message } = decision ?? { code: OPEN_CONNECT_FAILED, message: 'The channel could not be opened.' }
      this.#link.send(openFailure(remote.id, code, message))
      return
    }
    const windowBytes = this.#firstWindow()
    this.#link.send(openConfirmation(remote.id, id, windowBytes, MAX_DATA_BYTES))
    this.#add(id, request.type, { remote, windowBytes }, (channel) => decision.attach(channel))
  }

  #openAnswered(type: number, id: number, reader: WireReader): void {
    const opening = this.#opening.get(id)
    if (!opening) throw protocolFault('unknown-channel', `Message ${type} answers no channel we asked for.`)
    this.#opening.delete(id)
    if (type === n.MSG_CHANNEL_OPEN_FAILURE) {
      const code = reader.uint32('reason code')
      opening.refused(
        new ChannelRefused(PEER_OF[this.#link.side], code, reader.text('description', MAX_DESCRIPTION_BYTES)),
      )
      return
    }
    const remote = {
      id: reader.uint32('sender channel'),
      window: reader.uint32('initial window size'),
      packetBytes: reader.uint32('maximum packet size'),
    }
    if (remote.packetBytes < this.#link.limits.minPacketSize) {
      opening.refused(new Error('the maximum packet size is too small'))
      throw protocolFault('packet-size', 'The maximum packet size of a channel is too small.')
    }
    const ends = { remote, windowBytes: opening.windowBytes }
    opening.opened(this.#add(id, opening.type, ends, (channel) => opening.attach(channel)))
  }

  #add(id: number, type: string, ends: ChannelEnds, attach: Opening['attach']): Channel {
    const channel = new Channel(id, type, ends, this.#link)
    this.#open.set(id, channel)
    const handler = this.#link.callHandler(channel, () => attach(channel))
    if (handler) channel.attach(handler)
    return channel
  }
}
