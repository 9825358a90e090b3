// Namespaces, their members and invitations as clients see them.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { ROLES } from '../roles.ts'
import { TenantId, Time, UserId } from './common.ts'
import { DisabledKey } from './public-key.ts'

export const RoleName = z.enum(ROLES)
/** A role in a request: the reference product's console capitalises it. */
export const RoleInput = z
  .string()
  .toLowerCase()
  .pipe(RoleName)
  .meta({ enum: [...ROLES] })

export const Member = z
  .object({
    id: UserId,
    added_at: Time,
    expires_at: Time,
    email: z.string(),
    role: RoleName,
    status: z.enum(['accepted', 'pending']),
    /** True while an identity provider decides the role, by SCIM or by groups at sign-ins. */
    provisioned: z.boolean(),
  })
  .meta({ id: 'Member' })
export type Member = z.infer<typeof Member>

/** RFC 1123 label: the part before the dot of an SSHID. */
export const NamespaceName = z
  .string()
  .toLowerCase()
  .min(LIMITS.namespaceName.min)
  .max(LIMITS.namespaceName.max)
  .regex(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/, 'may have letters, digits and inner hyphens only')

/** Policy for a session that should be recorded and cannot be: it continues, or it ends. */
export const RecordingPolicy = z.enum(['best-effort', 'required'])

/** Recordings older than this are deleted; 0: kept forever. */
export const RecordingRetentionDays = z
  .number()
  .int()
  .min(0, 'must be 0 to 3650 days')
  .max(3_650, 'must be 0 to 3650 days')

const { sshFactorHours, accessRequests } = LIMITS

const accessHoursRule = `must be ${accessRequests.hours.min} to ${accessRequests.hours.max} hours`

/** The longest time that members may ask for access. */
export const AccessRequestHours = z
  .number()
  .int('must be a whole number')
  .min(accessRequests.hours.min, accessHoursRule)
  .max(accessRequests.hours.max, accessHoursRule)

const hoursRule = `must be ${sshFactorHours.min} to ${sshFactorHours.max} hours`

/** After a second factor, the same person, credential and source network pass without one for this long. */
export const SshFactorHours = z.number().int().min(sshFactorHours.min, hoursRule).max(sshFactorHours.max, hoursRule)

export const Namespace = z
  .object({
    name: z.string(),
    owner: UserId,
    tenant_id: TenantId,
    members: z.array(Member),
    settings: z.object({
      session_record: z.boolean(),
      connection_announcement: z.string(),
      /** Whether running sessions end as soon as a policy change no longer allows them. */
      end_disallowed_sessions: z.boolean(),
      /** Whether users may forward ports, sockets, their agent and X11 through sessions. */
      forwarding: z.boolean(),
      /** Whether they may do so where sessions must be recorded: forwarded traffic is not recorded. */
      forwarding_unrecorded: z.boolean(),
      /** Whether members may ask to join the web terminals of others. */
      joining: z.boolean(),
      /** Whether members may ask for access that the firewall denies them. */
      access_requests: z.boolean(),
      access_request_hours: AccessRequestHours,
      recording_policy: RecordingPolicy,
      recording_retention_days: RecordingRetentionDays,
      /** True if logins through SSH and web terminals need a second factor of a person. */
      ssh_second_factor: z.boolean(),
      ssh_second_factor_hours: SshFactorHours,
      /** True if service keys, which belong to no person, pass without one. */
      ssh_second_factor_service_keys: z.boolean(),
    }),
    max_devices: z.number().int(),
    devices_count: z.number().int(),
    device_count: z.number().int(),
    created_at: Time,
    /** State of the subscription, in the cloud edition; null without one. */
    billing: z.record(z.string(), z.unknown()).nullable(),
    type: z.enum(['personal', 'team']),
    /** True while administrators of the server have disabled it. */
    disabled: z.boolean(),
  })
  .meta({ id: 'Namespace' })
export type Namespace = z.infer<typeof Namespace>

/** A deleted namespace that its owner can still restore. */
export const DeletedNamespace = z
  .object({
    tenant_id: TenantId,
    name: z.string(),
    deleted_at: Time,
    /** From then on it cannot be restored. */
    removed_at: Time,
  })
  .meta({ id: 'DeletedNamespace' })
export type DeletedNamespace = z.infer<typeof DeletedNamespace>

/** Where an archive can be fetched, once. */
export const ExportLink = z
  .object({
    /** Path on this server. Whoever has it needs no credential. */
    path: z.string(),
    expires_at: Time,
  })
  .meta({ id: 'ExportLink' })
export type ExportLink = z.infer<typeof ExportLink>

/** Response to the removal of a member. */
export const NamespaceAfterRemoval = Namespace.extend({
  /** SSH keys of the member, which cannot sign in until they are reassigned. */
  disabled_keys: z.array(DisabledKey),
}).meta({ id: 'NamespaceAfterRemoval' })
export type NamespaceAfterRemoval = z.infer<typeof NamespaceAfterRemoval>

/** An invitation as the invited person sees it. */
export const Invitation = z
  .object({
    tenant_id: TenantId,
    namespace: z.string(),
    role: RoleName,
    /** Name of the person who invited; '' for the operator of the server. */
    inviter: z.string(),
    expires_at: Time,
  })
  .meta({ id: 'Invitation' })
export type Invitation = z.infer<typeof Invitation>
