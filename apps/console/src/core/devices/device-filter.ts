// Builds the API filter of a device list.
import { type ConditionGroup, encodeFilter, startOfDay, where } from '../list-filter.ts'

const SEARCHED = ['name', 'identity.mac', 'remote_addr', 'info.pretty_name'] as const

export const PRESENCES = ['online', 'offline'] as const
export type Presence = (typeof PRESENCES)[number]

export interface DeviceChoices {
  /** Matches any searched property; '' for all. */
  readonly words: string
  /** '' for all. */
  readonly tag?: string
  readonly presence?: Presence | undefined
  /** Last seen on this day of the browser's zone or later: `2026-11-20`. */
  readonly seenSince?: string | undefined
}

/**
 * Builds a filter that requires every condition.
 * @returns undefined when nothing is filtered
 */
export function deviceFilter({ words, tag = '', presence, seenSince }: DeviceChoices): string | undefined {
  const value = words.trim()
  const all = [
    ...(tag === '' ? [] : [where('tags', 'contains', [tag])]),
    ...(presence === undefined ? [] : [where('online', 'bool', presence === 'online')]),
    ...(seenSince === undefined ? [] : [where('last_seen', 'gt', startOfDay(seenSince, -1))]),
  ]
  const groups: ConditionGroup[] = [{ join: 'and', conditions: all }]
  if (value !== '') groups.unshift({ join: 'or', conditions: SEARCHED.map((name) => where(name, 'contains', value)) })
  return encodeFilter(groups)
}
