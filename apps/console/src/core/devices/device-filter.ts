// Builds the API filter of a device list.
import { Filter } from '@bowline/contract/schemas/filter'
import { TROUBLES } from '@bowline/contract/schemas/fleet/health'
import { searchConditions, searchTextOf } from '@bowline/contract/schemas/lists/device-search'
import { type Condition, type ConditionGroup, encodeFilter, startOfDay, where } from '../list-filter.ts'

/** One trouble of a device, or `any` of its failures. */
export const TROUBLE_CHOICES = ['any', ...TROUBLES] as const
export type TroubleChoice = (typeof TROUBLE_CHOICES)[number]

export const PRESENCES = ['online', 'offline'] as const
export type Presence = (typeof PRESENCES)[number]

/** Last seen within, or with a minus longer ago than, this time. */
export const SEEN = ['1h', '1d', '7d', '30d', '-1d', '-7d', '-30d'] as const
export type Seen = (typeof SEEN)[number]

const HOUR_MS = 3_600_000
const AGES: Readonly<Record<string, number>> = {
  '1h': HOUR_MS,
  '1d': 24 * HOUR_MS,
  '7d': 168 * HOUR_MS,
  '30d': 720 * HOUR_MS,
}
/** Times are rounded so that the same list has the same query for a while. */
const ROUNDED_MS = 300_000

export interface DeviceChoices {
  /** Each word must occur in what is known of a device, or hold if it has a keyword, as `tag:kiosk`; '' for all. */
  readonly words: string
  /** The device with exactly this name only. */
  readonly name?: string | undefined
  /** At least one of the values; absent or empty for all. */
  readonly tags?: readonly string[] | undefined
  readonly systems?: readonly string[] | undefined
  readonly archs?: readonly string[] | undefined
  readonly versions?: readonly string[] | undefined
  readonly presence?: Presence | undefined
  readonly seen?: Seen | undefined
  /** Favourites of the person only. */
  readonly favorites?: boolean | undefined
  /** Devices whose SSH server presents another host key than the accepted one only. */
  readonly hostKeyChanged?: boolean | undefined
  readonly trouble?: TroubleChoice | undefined
  /** Devices that went offline in this incident only. */
  readonly incident?: string | undefined
  /** Devices in this cell of the map only. */
  readonly cell?: string | undefined
  /** Last seen on this day of the browser's zone or later: `2026-11-20`. */
  readonly seenSince?: string | undefined
}

/**
 * Builds a filter that requires every condition.
 * @param now milliseconds since the epoch, for `seen`
 * @returns undefined when nothing is filtered
 */
export function deviceFilter(choices: DeviceChoices, now = Date.now()): string | undefined {
  const { words, tags, systems, archs, versions, presence, seen, favorites, hostKeyChanged, trouble, ...rest } = choices
  const { name: named, incident, cell, seenSince } = rest
  const any = (name: string, values: readonly string[] = []): ConditionGroup => ({
    join: 'or',
    conditions: values.map((value) => where(name, 'eq', value)),
  })
  return encodeFilter([
    { join: 'and', conditions: searchConditions(words) },
    any('tags', tags),
    any('info.pretty_name', systems),
    any('info.arch', archs),
    any('info.version', versions),
    {
      join: 'and',
      conditions: [
        ...(named === undefined ? [] : [where('name', 'eq', named)]),
        ...(presence === undefined ? [] : [where('online', 'bool', presence === 'online')]),
        ...(favorites ? [where('favorite', 'bool', true)] : []),
        ...(hostKeyChanged ? [where('host_key_changed', 'bool', true)] : []),
        ...(trouble === undefined ? [] : [where('trouble', 'eq', trouble)]),
        ...(incident === undefined ? [] : [where('incident', 'eq', incident)]),
        ...(cell === undefined ? [] : [where('cell', 'eq', cell)]),
        ...(seen === undefined ? [] : [seenCondition(seen, now)]),
        ...(seenSince === undefined ? [] : [where('last_seen', 'gt', startOfDay(seenSince, -1))]),
      ],
    },
  ])
}

const LISTS = {
  tags: 'tags',
  'info.pretty_name': 'systems',
  'info.arch': 'archs',
  'info.version': 'versions',
} as const

/**
 * The choices of a filter that {@link deviceFilter} has built, without those of a person or of a time.
 * @returns undefined for any other filter
 */
export function choicesOfFilter(text: string): DeviceChoices | undefined {
  const items = itemsOf(text)
  return [choicesOfValues(items), choicesOfWords(items)].find((choices) => (deviceFilter(choices) ?? '') === text)
}

/** Everything before the first operator is read as words. */
function choicesOfWords(items: Filter): DeviceChoices {
  const end = items.findIndex(({ type }) => type === 'operator')
  const words = searchTextOf(items.slice(0, end).filter((item) => item.type === 'property')) ?? ''
  return { ...choicesOfValues(items.slice(end + 1)), words }
}

function choicesOfValues(items: Filter): DeviceChoices {
  const words: string[] = []
  const lists: { [K in (typeof LISTS)[keyof typeof LISTS]]?: string[] } = {}
  let presence: Presence | undefined
  for (const item of items) {
    if (item.type === 'operator') continue
    const { name, value } = item.params
    if (name === 'words') words.push(String(value))
    else if (name === 'online') presence = value === true ? 'online' : 'offline'
    else if (name in LISTS) (lists[LISTS[name as keyof typeof LISTS]] ??= []).push(String(value))
  }
  return { words: words.join(' '), ...lists, ...(presence === undefined ? {} : { presence }) }
}

/** Empty for what is no filter. */
function itemsOf(text: string): Filter {
  try {
    const json: unknown = JSON.parse(
      new TextDecoder().decode(Uint8Array.from(atob(text || btoa('[]')), (one) => one.charCodeAt(0))),
    )
    const filter = Filter.safeParse(json)
    return filter.success ? filter.data : []
  } catch {
    return []
  }
}

function seenCondition(seen: Seen, now: number): Condition {
  const age = AGES[seen.replace('-', '')] ?? 0
  const limit = new Date(Math.floor(now / ROUNDED_MS) * ROUNDED_MS - age).toISOString()
  return where('last_seen', seen.startsWith('-') ? 'lt' : 'gt', limit)
}
