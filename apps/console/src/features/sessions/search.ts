// URL search parameters of the sessions page, and the list they select.
import { DeviceUid } from '@bowline/contract/schemas/common'
import { z } from 'zod'
import { type ConditionGroup, encodeFilter, startOfDay, where } from '../../core/list-filter.ts'
import type { SessionListQuery } from './queries.ts'

export const DEFAULT_SESSIONS_SEARCH = { page: 1 } as const

export const SESSION_STATES = ['active', 'ended', 'refused'] as const
export type SessionState = (typeof SESSION_STATES)[number]

const Day = z.iso.date().optional().catch(undefined)

/** Invalid values are ignored: a mistyped URL shows the list, not an error. */
export const SessionsSearch = z.object({
  page: z.coerce.number().int().min(1).catch(DEFAULT_SESSIONS_SEARCH.page).default(DEFAULT_SESSIONS_SEARCH.page),
  /** Words to search for in login names and addresses. */
  q: z.string().trim().max(64).optional().catch(undefined),
  device: DeviceUid.optional().catch(undefined),
  state: z.enum(SESSION_STATES).optional().catch(undefined),
  recorded: z.enum(['yes', 'no']).optional().catch(undefined),
  /** Days of this browser's zone, `2026-11-20`; both inclusive. */
  from: Day,
  to: Day,
})
export type SessionsSearch = z.infer<typeof SessionsSearch>

/** True when anything but the page is set. */
export function isFiltered(search: SessionsSearch): boolean {
  return sessionFilter(search) !== undefined
}

/** The list for a URL. */
export function sessionListOf(search: SessionsSearch): SessionListQuery {
  return { page: search.page, filter: sessionFilter(search) }
}

/** The API filter for a URL; undefined for everything. */
export function sessionFilter(search: Partial<SessionsSearch>): string | undefined {
  const { q = '', device, state, recorded, from, to } = search
  const all = [
    ...(device === undefined ? [] : [where('device_uid', 'eq', device)]),
    ...(state === 'active' ? [where('active', 'bool', true)] : []),
    ...(state === 'ended' ? [where('closed', 'bool', true), where('authenticated', 'bool', true)] : []),
    ...(state === 'refused' ? [where('closed', 'bool', true), where('authenticated', 'bool', false)] : []),
    ...(recorded === undefined ? [] : [where('recorded', 'bool', recorded === 'yes')]),
    ...(from === undefined ? [] : [where('started_at', 'gt', startOfDay(from, -1))]),
    ...(to === undefined ? [] : [where('started_at', 'lt', startOfDay(to, 0, 1))]),
  ]
  const groups: ConditionGroup[] = [{ join: 'and', conditions: all }]
  if (q !== '') {
    groups.unshift({ join: 'or', conditions: [where('username', 'contains', q), where('ip_address', 'contains', q)] })
  }
  return encodeFilter(groups)
}
