// The URLs of the administration pages: what is searched, filtered, ordered, and the page.
import { z } from 'zod'
import { AuditFilterSearch } from '../audit/search.ts'
import { DEFAULT_PAGE_SEARCH, PageSearch } from '../../ui/list/page-search.ts'

const Words = z.string().trim().max(64).optional().catch(undefined)
const Order = z.enum(['asc', 'desc']).catch('asc').default('asc')

export const PEOPLE_STATES = ['disabled', 'unconfirmed', 'administrators', 'without-factor'] as const
export const DEFAULT_PEOPLE_SEARCH = { ...DEFAULT_PAGE_SEARCH, sort: 'username', order: 'asc' } as const
export const PeopleSearch = PageSearch.extend({
  q: Words,
  state: z.enum(PEOPLE_STATES).optional().catch(undefined),
  sort: z.enum(['username', 'email', 'created_at', 'last_login']).catch('username').default('username'),
  order: Order,
})
export type PeopleSearch = z.output<typeof PeopleSearch>

export const NAMESPACE_STATES = ['disabled', 'enabled'] as const
export const DEFAULT_NAMESPACES_SEARCH = { ...DEFAULT_PAGE_SEARCH, sort: 'name', order: 'asc' } as const
export const NamespacesSearch = PageSearch.extend({
  q: Words,
  state: z.enum(NAMESPACE_STATES).optional().catch(undefined),
  sort: z.enum(['name', 'created_at', 'devices']).catch('name').default('name'),
  order: Order,
})
export type NamespacesSearch = z.output<typeof NamespacesSearch>

export const DeletedNamespacesSearch = PageSearch.extend({ q: Words })
export type DeletedNamespacesSearch = z.output<typeof DeletedNamespacesSearch>

export const ServerAuditSearch = AuditFilterSearch.extend({
  /** Tenant id, or `server`. */
  namespace: z.string().max(36).optional().catch(undefined),
})
export type ServerAuditSearch = z.output<typeof ServerAuditSearch>
