// Live events of namespaces: what happened is kept for a few minutes, so that a listener that lost its connection can
// go on where it was. Of a namespace to which nobody has listened for that long nothing is kept. One process; several
// nodes will share it through the messaging interface.
import { LIMITS } from '@bowline/contract/limits'
import type { LiveEvent } from '@bowline/contract/schemas/event'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Clock } from '../platform/clock.ts'

/** An event with its id: `<life of the channel>-<number>`. */
export interface NumberedEvent {
  readonly id: string
  readonly event: LiveEvent
}

export interface EventBus {
  /**
   * Whether somebody listens to the namespace, or did a few minutes ago and may come back. Otherwise events go to nobody,
   * and what they would tell need not be read.
   */
  isHeard(tenant: TenantId): boolean
  emit(tenant: TenantId, event: LiveEvent): void
  /**
   * Listens from now on.
   * @param lastId id of the last event the listener has seen; what came after it is delivered first
   * @param deliver called synchronously for each event; must not throw
   * @returns ends the listening
   */
  listen(tenant: TenantId, lastId: string | undefined, deliver: (event: NumberedEvent) => void): () => void
  readonly listenerCount: number
  /** Namespaces to which somebody listens or did a few minutes ago. */
  readonly channelCount: number
}

interface Channel {
  /** Ids of another life, of the server or of this channel, get `reset`. */
  readonly life: string
  readonly listeners: Set<(event: NumberedEvent) => void>
  /** Oldest first. */
  readonly kept: (NumberedEvent & { readonly number: number; readonly at: number })[]
  next: number
  /** When the last listener left; of no meaning while there is one. */
  heardAt: number
}

/** @param life distinguishes this life of the server from others */
export function createEventBus(clock: Clock, life: string): EventBus {
  const channels = new Map<TenantId, Channel>()
  const { count, minutes } = LIMITS.eventBuffer
  const keptMs = minutes * 60_000
  let channelsMade = 0
  let sweptAt = clock.now()

  const isHeard = (channel: Channel): boolean => channel.listeners.size > 0 || clock.now() - channel.heardAt <= keptMs
  /** A channel that nobody hears is forgotten; should a listener come back, the next has another life. */
  const heardChannel = (tenant: TenantId): Channel | undefined => {
    const channel = channels.get(tenant)
    if (!channel || isHeard(channel)) return channel
    channels.delete(tenant)
    return undefined
  }
  const channelOf = (tenant: TenantId): Channel => {
    const found = heardChannel(tenant)
    if (found) return found
    channelsMade += 1
    const channel = { life: `${life}.${channelsMade}`, listeners: new Set<never>(), kept: [], next: 1, heardAt: 0 }
    channels.set(tenant, channel)
    return channel
  }
  const forgetOld = (channel: Channel): void => {
    const oldest = clock.now() - keptMs
    while (channel.kept.length > count || (channel.kept[0]?.at ?? oldest) < oldest) channel.kept.shift()
  }
  /** Without it a namespace that nobody hears and in which nothing happens would keep its last events for ever. */
  const sweep = (): void => {
    if (clock.now() - sweptAt < keptMs) return
    sweptAt = clock.now()
    for (const tenant of channels.keys()) heardChannel(tenant)
  }
  return {
    isHeard: (tenant) => heardChannel(tenant) !== undefined,
    emit(tenant, event) {
      sweep()
      const channel = heardChannel(tenant)
      if (!channel) return
      const number = channel.next
      channel.next += 1
      const numbered = { id: `${channel.life}-${number}`, event, number, at: clock.now() }
      channel.kept.push(numbered)
      forgetOld(channel)
      for (const deliver of channel.listeners) deliver(numbered)
    },
    listen(tenant, lastId, deliver) {
      const channel = channelOf(tenant)
      forgetOld(channel)
      for (const missed of missedSince(channel, lastId)) deliver(missed)
      channel.listeners.add(deliver)
      sweep()
      return () => {
        channel.listeners.delete(deliver)
        channel.heardAt = clock.now()
      }
    },
    get listenerCount() {
      return [...channels.values()].reduce((sum, channel) => sum + channel.listeners.size, 0)
    },
    get channelCount() {
      return channels.size
    },
  }
}

/** What a listener has missed; one `reset` when that is not known any more. */
function missedSince(channel: Channel, lastId: string | undefined): NumberedEvent[] {
  if (lastId === undefined || lastId === '') return []
  const { life, kept, next } = channel
  const text = lastId.startsWith(`${life}-`) ? lastId.slice(life.length + 1) : ''
  const last = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  const firstKept = kept[0]?.number ?? next
  const known = last < next && last >= firstKept - 1
  if (!known) return [{ id: `${life}-${next - 1}`, event: { type: 'reset' } }]
  return kept.filter((event) => event.number > last)
}
