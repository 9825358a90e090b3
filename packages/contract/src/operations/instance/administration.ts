// Administration of the whole instance: its people, its namespaces with their limits, and its audit log.
import * as z from 'zod'
import { operation } from '../../operation.ts'
import { AccountEvent } from '../../schemas/account-event.ts'
import { AuditFilter } from '../../schemas/audit.ts'
import {
  DefaultLimits,
  DescribedNamespace,
  DescribedPerson,
  InstanceAuditEntry,
  ListedDeletedNamespace,
  ListedNamespace,
  ListedPerson,
  NamespaceLimits,
} from '../../schemas/instance/administration.ts'
import { Email, ExportFormat, Page, Password, TenantId, UserId, Username } from '../../schemas/common.ts'
import { SignIn } from '../../schemas/sign-in.ts'

const access = { kind: 'instance-admin' } as const
/** Named by id, username or address. */
const person = z.object({ user: z.string().min(1, 'is required').max(320) })
const one = z.object({ namespace: TenantId })
const Search = z.string().max(100, 'must have at most 100 characters').default('')
const Order = z.enum(['asc', 'desc'], 'must be asc or desc')

/** Filters of all audit logs. */
const AllAuditFilter = AuditFilter.extend({
  /** Tenant id; `server` for entries of the server itself. */
  namespace: z.union([z.literal('server'), TenantId]).optional(),
})

export const administration = {
  listPeople: operation({
    method: 'GET',
    path: '/api/instance/users',
    noun: 'administration',
    summary: 'People of the whole server, with search in names and addresses',
    access,
    query: Page.extend({
      search: Search,
      state: z
        .enum(['disabled', 'unconfirmed', 'administrators', 'without-factor'], 'must be a known filter')
        .optional(),
      sort_by: z
        .enum(['username', 'email', 'created_at', 'last_login'], 'must be username, email, created_at or last_login')
        .default('username'),
      order_by: Order.default('asc'),
    }),
    response: z.array(ListedPerson),
    total: true,
    errors: ['FRESH_PROOF_REQUIRED'],
  }),
  createPerson: operation({
    method: 'POST',
    path: '/api/instance/users',
    noun: 'administration',
    summary: 'Create an account with a confirmed address; it may own any number of namespaces',
    access,
    body: z.object({ username: Username, email: Email, password: Password }),
    status: 201,
    response: DescribedPerson,
    errors: ['FRESH_PROOF_REQUIRED', 'CONFLICT'],
  }),
  getPerson: operation({
    method: 'GET',
    path: '/api/instance/users/{user}',
    noun: 'administration',
    summary: 'One person with memberships and counts of keys, factors and sign-ins',
    access,
    params: person,
    response: DescribedPerson,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  listActivity: operation({
    method: 'GET',
    path: '/api/instance/users/{user}/activity',
    noun: 'administration',
    summary: 'Events of an account, the newest first',
    access,
    params: person,
    query: Page,
    response: z.array(AccountEvent),
    total: true,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  listSignIns: operation({
    method: 'GET',
    path: '/api/instance/users/{user}/sign-ins',
    noun: 'administration',
    summary: 'Living sign-ins of a person, last used first',
    access,
    params: person,
    query: Page,
    response: z.array(SignIn),
    total: true,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  endSignIns: operation({
    method: 'DELETE',
    path: '/api/instance/users/{user}/sign-ins',
    noun: 'administration',
    summary: 'End all sign-ins of a person; SSH sessions and keys stay',
    access,
    params: person,
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED'],
  }),
  disablePerson: operation({
    method: 'POST',
    path: '/api/instance/users/{user}/disable',
    noun: 'administration',
    summary: 'Disable an account: nobody signs in to it, and its sessions, keys and API keys end or pause',
    access,
    params: person,
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED', 'OWN_ACCOUNT', 'LAST_ADMINISTRATOR', 'ACCOUNT_UNFINISHED'],
  }),
  enablePerson: operation({
    method: 'POST',
    path: '/api/instance/users/{user}/enable',
    noun: 'administration',
    summary: 'Enable a disabled account; its keys work again',
    access,
    params: person,
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED'],
  }),
  setAdministrator: operation({
    method: 'PUT',
    path: '/api/instance/users/{user}/administrator',
    noun: 'administration',
    summary: 'Let a person administer the server, or not any more',
    access,
    params: person,
    body: z.object({ administrator: z.boolean() }),
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED', 'OWN_ACCOUNT', 'LAST_ADMINISTRATOR', 'ACCOUNT_UNFINISHED'],
  }),
  setMaxNamespaces: operation({
    method: 'PUT',
    path: '/api/instance/users/{user}/max-namespaces',
    noun: 'administration',
    summary: 'Set how many namespaces a person may own; -1: any number',
    access,
    params: person,
    body: z.object({
      max_namespaces: z.number().int().min(-1, 'must be -1 or a count').max(9_999, 'must be at most 9999'),
    }),
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED'],
  }),
  listNamespaces: operation({
    method: 'GET',
    path: '/api/instance/namespaces',
    noun: 'administration',
    summary: 'Namespaces of the whole server with owners and counts, with search in names and owners',
    access,
    query: Page.extend({
      search: Search,
      state: z.enum(['disabled', 'enabled'], 'must be disabled or enabled').optional(),
      sort_by: z.enum(['name', 'created_at', 'devices'], 'must be name, created_at or devices').default('name'),
      order_by: Order.default('asc'),
    }),
    response: z.array(ListedNamespace),
    total: true,
    errors: ['FRESH_PROOF_REQUIRED'],
  }),
  getNamespace: operation({
    method: 'GET',
    path: '/api/instance/namespaces/{namespace}',
    noun: 'administration',
    summary: 'One namespace with its people, counts and limits',
    access,
    params: one,
    response: DescribedNamespace,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  disableNamespace: operation({
    method: 'POST',
    path: '/api/instance/namespaces/{namespace}/disable',
    noun: 'administration',
    summary: 'Disable a namespace: logins, tunnels, terminals, calls and registrations are refused, and sessions end',
    access,
    params: one,
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED'],
  }),
  enableNamespace: operation({
    method: 'POST',
    path: '/api/instance/namespaces/{namespace}/enable',
    noun: 'administration',
    summary: 'Enable a disabled namespace',
    access,
    params: one,
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED'],
  }),
  setLimits: operation({
    method: 'PUT',
    path: '/api/instance/namespaces/{namespace}/limits',
    noun: 'administration',
    summary: 'Set limits of a namespace; null: that of the server, -1: none. Omitted ones stay',
    access,
    params: one,
    body: NamespaceLimits.partial(),
    response: NamespaceLimits,
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED'],
  }),
  handOver: operation({
    method: 'POST',
    path: '/api/instance/namespaces/{namespace}/owner',
    noun: 'administration',
    summary: 'Hand a namespace over to another member; the owner before becomes an administrator of it',
    access,
    params: one,
    body: z.object({ user: UserId }),
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED'],
  }),
  listDeletedNamespaces: operation({
    method: 'GET',
    path: '/api/instance/deleted-namespaces',
    noun: 'administration',
    summary: 'Deleted namespaces of the whole server that can still be restored, those that go first at the top',
    access,
    query: Page.extend({ search: Search }),
    response: z.array(ListedDeletedNamespace),
    total: true,
    errors: ['FRESH_PROOF_REQUIRED'],
  }),
  restoreNamespace: operation({
    method: 'POST',
    path: '/api/instance/namespaces/{namespace}/restore',
    noun: 'administration',
    summary: 'Undo the deletion of a namespace, whoever owned it and however many its owner may own',
    access,
    params: one,
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED'],
  }),
  getDefaults: operation({
    method: 'GET',
    path: '/api/instance/limits',
    noun: 'administration',
    summary: 'Limits of namespaces that have none of their own',
    access,
    response: DefaultLimits,
  }),
  setDefaults: operation({
    method: 'PUT',
    path: '/api/instance/limits',
    noun: 'administration',
    summary: 'Set limits of namespaces that have none of their own; -1: none. Omitted ones stay',
    access,
    body: DefaultLimits.partial(),
    response: DefaultLimits,
    errors: ['FRESH_PROOF_REQUIRED'],
  }),
  listAudit: operation({
    method: 'GET',
    path: '/api/instance/audit',
    noun: 'administration',
    summary: 'Entries of all audit logs, the newest first; `before` is the id and `at` of the last one seen',
    access,
    query: AllAuditFilter.extend({
      per_page: Page.shape.per_page,
      /** `<at>,<id>` of the last entry of the page before. */
      before: z
        .string()
        .regex(/^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z,\d{1,15}$/, 'must be at and id of an entry')
        .optional(),
    }),
    response: z.array(InstanceAuditEntry),
    errors: ['FRESH_PROOF_REQUIRED'],
  }),
  exportAudit: operation({
    method: 'GET',
    path: '/api/instance/audit/export',
    noun: 'administration',
    summary: 'All entries of all audit logs that match, the newest first, as CSV or JSON lines',
    access,
    query: AllAuditFilter.extend({ format: ExportFormat.default('csv') }),
    response: z.array(InstanceAuditEntry),
    jsonLines: true,
    asCsv: true,
    errors: ['FRESH_PROOF_REQUIRED', 'TOO_MANY_REQUESTS'],
  }),
}
