// People, namespaces and the audit log of the whole instance, as its administrators see them.
import * as z from 'zod'
import { ROLES } from '../../roles.ts'
import { TenantId, Time, UserId } from '../common.ts'
import { AuditEntry } from '../audit.ts'
import { DeletedNamespace } from '../namespace.ts'

export const PersonState = z.enum(['invited', 'not-confirmed', 'confirmed', 'disabled'])

export const ListedPerson = z
  .object({
    id: UserId,
    name: z.string(),
    username: z.string(),
    email: z.string(),
    state: PersonState,
    /** Null unless the account is disabled. */
    disabled_at: Time.nullable(),
    /** True if the person administers the server. */
    administrator: z.boolean(),
    /** True if the account has a second factor. */
    mfa: z.boolean(),
    namespaces: z.number().int(),
    created_at: Time,
    /** Null before the first sign-in. */
    last_login: Time.nullable(),
  })
  .meta({ id: 'ListedPerson' })
export type ListedPerson = z.infer<typeof ListedPerson>

export const DescribedPerson = ListedPerson.extend({
  memberships: z.array(
    z.object({
      tenant_id: TenantId,
      namespace: z.string(),
      role: z.enum(ROLES),
      status: z.enum(['accepted', 'pending']),
      disabled: z.boolean(),
    }),
  ),
  /** Living sign-ins. */
  sign_ins: z.number().int(),
  /** SSH keys that the person owns or vouches for, in all namespaces. */
  ssh_keys: z.number().int(),
  api_keys: z.number().int(),
  authenticators: z.number().int(),
  passkeys: z.number().int(),
  identities: z.number().int(),
  has_password: z.boolean(),
  /** −1: any number. */
  max_namespaces: z.number().int(),
}).meta({ id: 'DescribedPerson' })
export type DescribedPerson = z.infer<typeof DescribedPerson>

export const LIMIT_NAMES = ['devices', 'members', 'sessions', 'tunnels', 'api_keys'] as const
export type NamespaceLimitName = (typeof LIMIT_NAMES)[number]

const MOST = 1_000_000
const Count = z.number().int().min(-1, 'must be -1 or a count').max(MOST, `must be at most ${MOST}`)
const Members = Count.refine((value) => value !== 0, 'must be -1 or at least 1: a namespace has an owner')

/** Limits of every namespace without one of its own; -1: no limit. */
export const DefaultLimits = z
  .object({ devices: Count, members: Members, sessions: Count, tunnels: Count, api_keys: Count })
  .meta({ id: 'DefaultLimits' })
export type DefaultLimits = z.infer<typeof DefaultLimits>

/** Limits of one namespace; null: that of the installation; -1: no limit. */
export const NamespaceLimits = z
  .object({
    devices: Count.nullable(),
    members: Members.nullable(),
    sessions: Count.nullable(),
    tunnels: Count.nullable(),
    api_keys: Count.nullable(),
  })
  .meta({ id: 'NamespaceLimits' })
export type NamespaceLimits = z.infer<typeof NamespaceLimits>

export const ListedNamespace = z
  .object({
    tenant_id: TenantId,
    name: z.string(),
    type: z.enum(['personal', 'team']),
    owner: z.object({ id: UserId, username: z.string(), email: z.string() }),
    created_at: Time,
    /** Null unless the namespace is disabled. */
    disabled_at: Time.nullable(),
    /** Accepted devices, containers included. */
    devices: z.number().int(),
    online: z.number().int(),
    members: z.number().int(),
    active_sessions: z.number().int(),
  })
  .meta({ id: 'ListedNamespace' })
export type ListedNamespace = z.infer<typeof ListedNamespace>

/** A deleted namespace that can still be restored. */
export const ListedDeletedNamespace = DeletedNamespace.extend({
  owner: ListedNamespace.shape.owner,
}).meta({ id: 'ListedDeletedNamespace' })
export type ListedDeletedNamespace = z.infer<typeof ListedDeletedNamespace>

export const DescribedNamespace = ListedNamespace.extend({
  people: z.array(
    z.object({
      id: UserId,
      username: z.string(),
      email: z.string(),
      role: z.enum(ROLES),
      status: z.enum(['accepted', 'pending']),
      disabled: z.boolean(),
    }),
  ),
  tunnels: z.number().int(),
  api_keys: z.number().int(),
  /** Size of the recordings in bytes. */
  recordings_bytes: z.number().int(),
  limits: NamespaceLimits,
}).meta({ id: 'DescribedNamespace' })
export type DescribedNamespace = z.infer<typeof DescribedNamespace>

/** An entry of the audit log of any namespace, or of the server itself. */
export const InstanceAuditEntry = AuditEntry.extend({
  /** '' for the server itself. */
  tenant_id: z.string(),
  /** Name of the namespace; '' for the server itself and for a namespace that is gone. */
  namespace: z.string(),
}).meta({ id: 'InstanceAuditEntry' })
export type InstanceAuditEntry = z.infer<typeof InstanceAuditEntry>
