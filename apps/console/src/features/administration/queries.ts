// Queries for people, namespaces and audit logs of the whole server.
import { administration } from '@bowline/contract/operations/instance/administration'
import type {
  InstanceAuditEntry,
  ListedDeletedNamespace,
  ListedNamespace,
  ListedPerson,
} from '@bowline/contract/schemas/instance/administration'
import type { TenantId } from '@bowline/contract/schemas/common'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'
import type { ListPage } from '../../live/apply-events.ts'
import { listPage } from '../../live/list-page.ts'
import { auditQuery } from '../audit/queries.ts'
import type { DeletedNamespacesSearch, NamespacesSearch, PeopleSearch, ServerAuditSearch } from './search.ts'

export const ROWS_PER_PAGE = 25
export const PEOPLE = ['administration', 'people'] as const
export const NAMESPACES = ['administration', 'namespaces'] as const
export const LIMITS_OF_ALL = ['administration', 'limits'] as const

/** Nothing tells of changes elsewhere. */
const ALWAYS_STALE = { staleTime: 0, placeholderData: keepPreviousData } as const

export function peopleQuery(api: Api, { page, q = '', state, sort, order }: PeopleSearch) {
  return queryOptions({
    queryKey: [...PEOPLE, 'list', { page, q, state, sort, order }],
    queryFn: async ({ signal }): Promise<ListPage<ListedPerson>> => {
      const filter = { search: q, ...(state === undefined ? {} : { state }), sort_by: sort, order_by: order }
      const query = { ...filter, page: String(page), per_page: String(ROWS_PER_PAGE) }
      return listPage(await api.call(administration.listPeople, { query, signal }))
    },
    ...ALWAYS_STALE,
  })
}

export function personQuery(api: Api, user: string) {
  return queryOptions({
    queryKey: [...PEOPLE, user],
    queryFn: async ({ signal }) => (await api.call(administration.getPerson, { params: { user }, signal })).body,
    staleTime: 0,
  })
}

const SHOWN = '20'

export function activityQuery(api: Api, user: string) {
  return queryOptions({
    queryKey: [...PEOPLE, user, 'activity'],
    queryFn: async ({ signal }) => {
      const input = { params: { user }, query: { per_page: SHOWN }, signal }
      return (await api.call(administration.listActivity, input)).body
    },
    staleTime: 0,
  })
}

export function signInsQuery(api: Api, user: string) {
  return queryOptions({
    queryKey: [...PEOPLE, user, 'sign-ins'],
    queryFn: async ({ signal }) => {
      const input = { params: { user }, query: { per_page: SHOWN }, signal }
      return (await api.call(administration.listSignIns, input)).body
    },
    staleTime: 0,
  })
}

export function namespacesQuery(api: Api, { page, q = '', state, sort, order }: NamespacesSearch) {
  return queryOptions({
    queryKey: [...NAMESPACES, 'list', { page, q, state, sort, order }],
    queryFn: async ({ signal }): Promise<ListPage<ListedNamespace>> => {
      const filter = { search: q, ...(state === undefined ? {} : { state }), sort_by: sort, order_by: order }
      const query = { ...filter, page: String(page), per_page: String(ROWS_PER_PAGE) }
      return listPage(await api.call(administration.listNamespaces, { query, signal }))
    },
    ...ALWAYS_STALE,
  })
}

export function deletedOfServerQuery(api: Api, { page, q = '' }: DeletedNamespacesSearch) {
  return queryOptions({
    queryKey: [...NAMESPACES, 'deleted', { page, q }],
    queryFn: async ({ signal }): Promise<ListPage<ListedDeletedNamespace>> => {
      const query = { search: q, page: String(page), per_page: String(ROWS_PER_PAGE) }
      return listPage(await api.call(administration.listDeletedNamespaces, { query, signal }))
    },
    ...ALWAYS_STALE,
  })
}

export function administeredQuery(api: Api, tenant: TenantId) {
  return queryOptions({
    queryKey: [...NAMESPACES, tenant],
    queryFn: async ({ signal }) =>
      (await api.call(administration.getNamespace, { params: { namespace: tenant }, signal })).body,
    staleTime: 0,
  })
}

export function defaultLimitsQuery(api: Api) {
  return queryOptions({
    queryKey: LIMITS_OF_ALL,
    queryFn: async ({ signal }) => (await api.call(administration.getDefaults, { signal })).body,
    staleTime: 0,
  })
}

/** Query of the API for a URL of the audit page. */
function auditFilter({ namespace, ...filter }: ServerAuditSearch) {
  return { ...(namespace === undefined ? {} : { namespace }), ...auditQuery(filter) }
}

/** Entries, newest first, page after page. */
export function serverAuditQuery(api: Api, search: ServerAuditSearch) {
  return infiniteQueryOptions({
    queryKey: ['administration', 'audit', search],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }): Promise<InstanceAuditEntry[]> => {
      const before = pageParam === undefined ? {} : { before: pageParam }
      const query = { ...auditFilter(search), ...before, per_page: String(ROWS_PER_PAGE) }
      return (await api.call(administration.listAudit, { query, signal })).body
    },
    getNextPageParam: (last): string | undefined => {
      const entry = last.at(-1)
      return entry && last.length === ROWS_PER_PAGE ? `${entry.at},${entry.id}` : undefined
    },
    staleTime: 0,
  })
}

export async function fetchServerAudit(api: Api, search: ServerAuditSearch, format: 'csv' | 'jsonl'): Promise<Blob> {
  const response = await api.open(administration.exportAudit, { query: { ...auditFilter(search), format } })
  return response.blob()
}
