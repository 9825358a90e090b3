// Live events of namespaces, kept for a few minutes so that a listener can resume after losing its connection. Nothing
// is kept for a namespace without listeners for that long. Each node has its own: what happens elsewhere is emitted here
// again, and the ids of another node get `reset`.
import { LIMITS } from '@bowline/contract/limits'
import type { LiveEvent } from '@bowline/contract/schemas/event'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'

/** An event as sent to every listener. */
export interface NumberedEvent {
  /** `<generation of the channel>-<number>` */
  readonly id: string
  readonly type: LiveEvent['type']
  /** Server-sent event, encoded once and shared by all listeners. */
  readonly frame: Buffer
}

export interface EventBus {
  /**
   * True while the namespace has listeners, or had some a few minutes ago that may come back. Otherwise events are
   * dropped, and the data for them need not be read.
   */
  hasListeners(tenant: TenantId): boolean
  emit(tenant: TenantId, event: LiveEvent): void
  /**
   * Subscribes to the namespace's events.
   * @param lastId id of the last event the listener has seen; later ones are delivered first
   * @param deliver called synchronously for each event; must not throw
   * @returns unsubscribe
   */
  listen(tenant: TenantId, lastId: string | undefined, deliver: (event: NumberedEvent) => void): () => void
  /** Namespaces with listeners now or a few minutes ago. */
  tenants(): TenantId[]
  readonly listenerCount: number
  /** Number of namespaces with listeners now or a few minutes ago. */
  readonly channelCount: number
}

interface Channel {
  /** Prefix of event ids; ids of another run of the server or an earlier channel get `reset`. */
  readonly generation: string
  readonly listeners: Set<(event: NumberedEvent) => void>
  /** Oldest first. */
  readonly kept: (NumberedEvent & { readonly number: number; readonly at: number })[]
  keptBytes: number
  next: number
  /** Time at which the last listener left; meaningless while there is one. */
  lastListenedAt: number
}

/**
 * @param generation identifies this run of the server
 * @param opened called when a namespace gets its first listener
 */
export function createEventBus(
  clock: Clock,
  generation: string,
  opened: (tenant: TenantId) => void = () => undefined,
): EventBus {
  const channels = new Map<TenantId, Channel>()
  const { count, minutes, bytes } = LIMITS.eventBuffer
  const keptMs = minutes * 60_000
  let channelsMade = 0
  let sweptAt = clock.now()

  const hasListeners = (channel: Channel): boolean =>
    channel.listeners.size > 0 || clock.now() - channel.lastListenedAt <= keptMs
  /** Drops a channel without listeners; a returning listener gets a new one with another generation. */
  const liveChannel = (tenant: TenantId): Channel | undefined => {
    const channel = channels.get(tenant)
    if (!channel || hasListeners(channel)) return channel
    channels.delete(tenant)
    return undefined
  }
  const channelOf = (tenant: TenantId): Channel => {
    const found = liveChannel(tenant)
    if (found) return found
    channelsMade += 1
    const channel = {
      generation: `${generation}.${channelsMade}`,
      listeners: new Set<never>(),
      kept: [],
      keptBytes: 0,
      next: 1,
      lastListenedAt: 0,
    }
    channels.set(tenant, channel)
    return channel
  }
  const forgetOld = (channel: Channel): void => {
    const oldest = clock.now() - keptMs
    while (channel.kept.length > count || channel.keptBytes > bytes || (channel.kept[0]?.at ?? oldest) < oldest) {
      channel.keptBytes -= channel.kept.shift()?.frame.length ?? 0
    }
  }
  /** Drops idle channels, which would otherwise keep their last events forever. */
  const sweep = (): void => {
    if (clock.now() - sweptAt < keptMs) return
    sweptAt = clock.now()
    for (const tenant of channels.keys()) liveChannel(tenant)
  }
  return {
    hasListeners: (tenant) => liveChannel(tenant) !== undefined,
    emit(tenant, event) {
      sweep()
      const channel = liveChannel(tenant)
      if (!channel) return
      const number = channel.next
      channel.next += 1
      const numbered = { ...toFrame(`${channel.generation}-${number}`, event), number, at: clock.now() }
      channel.kept.push(numbered)
      channel.keptBytes += numbered.frame.length
      forgetOld(channel)
      for (const deliver of channel.listeners) deliver(numbered)
    },
    listen(tenant, lastId, deliver) {
      const isNew = liveChannel(tenant) === undefined
      const channel = channelOf(tenant)
      forgetOld(channel)
      for (const missed of missedSince(channel, lastId)) deliver(missed)
      channel.listeners.add(deliver)
      sweep()
      if (isNew) opened(tenant)
      return () => {
        channel.listeners.delete(deliver)
        channel.lastListenedAt = clock.now()
      }
    },
    tenants: () => [...channels.keys()].filter((tenant) => liveChannel(tenant) !== undefined),
    get listenerCount() {
      return [...channels.values()].reduce((sum, channel) => sum + channel.listeners.size, 0)
    },
    get channelCount() {
      return channels.size
    },
  }
}

/** Events that a listener has missed; a single `reset` when they are no longer known. */
function missedSince(channel: Channel, lastId: string | undefined): NumberedEvent[] {
  if (lastId === undefined || lastId === '') return []
  const { generation, kept, next } = channel
  const text = lastId.startsWith(`${generation}-`) ? lastId.slice(generation.length + 1) : ''
  const last = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  const firstKept = kept[0]?.number ?? next
  const known = last < next && last >= firstKept - 1
  const missed = known ? kept.filter((event) => event.number > last) : []
  const size = missed.reduce((sum, { frame }) => sum + frame.length, 0)
  // Above the queue limit of a stream the listener would be cut off and never catch up.
  if (!known || size > LIMITS.eventStreams.missedBytes) return [toFrame(`${generation}-${next - 1}`, { type: 'reset' })]
  return missed
}

/** Longer keys are omitted from events, which go to every listener; the device resource has them. */
const MAX_KEY = 1_024

function toFrame(id: string, event: LiveEvent): NumberedEvent {
  const isLong = 'device' in event && event.device.public_key.length > MAX_KEY
  const payload = isLong ? { ...event, device: { ...event.device, public_key: '' } } : event
  return {
    id,
    type: event.type,
    frame: Buffer.from(`id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(payload)}\n\n`),
  }
}
