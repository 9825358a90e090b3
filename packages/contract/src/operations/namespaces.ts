// Namespaces, members and invitations.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { operation } from '../operation.ts'
import { Email, Page, TenantId } from '../schemas/common.ts'
import { FilterText } from '../schemas/filter.ts'
import {
  DeletedNamespace,
  Invitation,
  Namespace,
  ExportLink,
  NamespaceName,
  AccessRequestHours,
  RecordingPolicy,
  RecordingRetentionDays,
  RoleInput,
  RoleName,
  NamespaceAfterRemoval,
  SshFactorHours,
} from '../schemas/namespace.ts'
import { UserAuth } from '../schemas/user.ts'

export const byTenant = z.object({ tenant: TenantId })
const byMember = z.object({ tenant: TenantId, uid: z.string().max(64) })
const NewMember = z.object({ email: Email, role: RoleInput })
/** Only users may change members: API keys may not. */
const may = (
  permission:
    | 'namespaceUpdate'
    | 'namespaceDelete'
    | 'namespaceExport'
    | 'namespaceAddMember'
    | 'namespaceEditMember'
    | 'namespaceRemoveMember',
  keys = false,
) => ({ kind: 'member', permission, keys }) as const

export const namespaces = {
  list: operation({
    method: 'GET',
    path: '/api/namespaces',
    noun: 'namespaces',
    summary: 'Namespaces in which the signed-in user is an accepted member',
    access: { kind: 'user' },
    query: Page.extend({ filter: FilterText }),
    response: z.array(Namespace),
    total: true,
    errors: ['INVALID_FILTER'],
  }),
  create: operation({
    method: 'POST',
    path: '/api/namespaces',
    noun: 'namespaces',
    summary: 'Create a namespace owned by the signed-in user',
    access: { kind: 'user' },
    body: z.object({
      name: NamespaceName,
      tenant: TenantId.optional(),
      type: z.enum(['personal', 'team']).default('team'),
    }),
    response: Namespace,
    errors: ['NAMESPACE_LIMIT', 'CONFLICT', 'NOT_FOUND'],
  }),
  get: operation({
    method: 'GET',
    path: '/api/namespaces/{tenant}',
    noun: 'namespaces',
    summary: 'One namespace with its members',
    access: { kind: 'member', keys: true, whileDisabled: true },
    params: byTenant,
    response: Namespace,
    errors: ['NOT_FOUND'],
  }),
  update: operation({
    method: 'PUT',
    path: '/api/namespaces/{tenant}',
    noun: 'namespaces',
    summary: 'Change name and settings; omitted fields stay unchanged',
    bodyBytes: 32_768,
    access: may('namespaceUpdate', true),
    params: byTenant,
    body: z.object({
      name: NamespaceName.optional(),
      settings: z
        .object({
          session_record: z.boolean().optional(),
          connection_announcement: z
            .string()
            .max(LIMITS.connectionAnnouncement, `must have at most ${LIMITS.connectionAnnouncement} characters`)
            .optional(),
          end_disallowed_sessions: z.boolean().optional(),
          forwarding: z.boolean().optional(),
          forwarding_unrecorded: z.boolean().optional(),
          joining: z.boolean().optional(),
          access_requests: z.boolean().optional(),
          access_request_hours: AccessRequestHours.optional(),
          recording_policy: RecordingPolicy.optional(),
          recording_retention_days: RecordingRetentionDays.optional(),
          ssh_second_factor: z.boolean().optional(),
          ssh_second_factor_hours: SshFactorHours.optional(),
          ssh_second_factor_service_keys: z.boolean().optional(),
        })
        .optional(),
    }),
    response: Namespace,
    errors: ['NOT_FOUND', 'CONFLICT', 'FRESH_PROOF_REQUIRED', 'USER_TOKEN_REQUIRED'],
  }),
  remove: operation({
    method: 'DELETE',
    path: '/api/namespaces/{tenant}',
    noun: 'namespaces',
    summary: 'Delete the namespace with everything in it; its owner can restore it for seven days',
    access: may('namespaceDelete', true),
    params: byTenant,
    errors: ['NOT_FOUND', 'PAYMENT_REQUIRED', 'FRESH_PROOF_REQUIRED'],
  }),
  listDeleted: operation({
    method: 'GET',
    path: '/api/namespaces/deleted',
    noun: 'namespaces',
    summary: 'Deleted namespaces that the signed-in user owned and can restore',
    access: { kind: 'user' },
    response: z.array(DeletedNamespace),
  }),
  restore: operation({
    method: 'POST',
    path: '/api/namespaces/{tenant}/restore',
    noun: 'namespaces',
    summary: 'Undo the deletion of a namespace that the signed-in user owned',
    access: { kind: 'user' },
    params: byTenant,
    errors: ['NOT_FOUND', 'NAMESPACE_LIMIT', 'FRESH_PROOF_REQUIRED'],
  }),
  export: operation({
    method: 'POST',
    path: '/api/namespaces/{tenant}/export',
    noun: 'namespaces',
    summary: 'A link to an archive with everything in the namespace; it works once',
    access: may('namespaceExport'),
    params: byTenant,
    response: ExportLink,
    errors: ['FRESH_PROOF_REQUIRED', 'EXPORT_RUNNING', 'NOT_FOUND'],
  }),
  download: operation({
    method: 'GET',
    path: '/api/namespace-exports/{link}',
    noun: 'namespaces',
    summary: 'The archive of a link, as a compressed tar file',
    access: { kind: 'public' },
    params: z.object({ link: z.string().max(64) }),
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
  }),
  support: operation({
    method: 'GET',
    path: '/api/namespaces/{tenant}/support',
    noun: 'namespaces',
    summary: 'Identifier of the namespace for support',
    access: { kind: 'member', keys: false },
    params: byTenant,
    response: z.object({ identifier: z.string() }),
    errors: ['NOT_FOUND', 'SUBSCRIPTION_REQUIRED'],
  }),
}

export const members = {
  add: operation({
    method: 'POST',
    path: '/api/namespaces/{tenant}/members',
    noun: 'members',
    summary: 'Add a member by e-mail address; in the cloud edition an invitation is mailed, and a repetition renews it',
    access: may('namespaceAddMember'),
    params: byTenant,
    body: NewMember,
    response: Namespace,
    errors: [
      'NAMESPACE_FULL',
      'ROLE_TOO_HIGH',
      'NOT_FOUND',
      'ALREADY_MEMBER',
      'ADDRESS_UNPROVEN',
      'TOO_MANY_REQUESTS',
      'FRESH_PROOF_REQUIRED',
      'ROLE_PROVISIONED',
    ],
  }),
  leave: operation({
    method: 'DELETE',
    path: '/api/namespaces/{tenant}/members',
    noun: 'members',
    summary: 'Leave the namespace; the answer has a body when it was the namespace of the token',
    access: { kind: 'user' },
    params: byTenant,
    response: UserAuth.optional(),
    errors: ['OWNER_REFUSED', 'NOT_FOUND'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/api/namespaces/{tenant}/members/{uid}',
    noun: 'members',
    summary: 'Change the role of a member',
    access: may('namespaceEditMember'),
    params: byMember,
    body: z.object({ role: RoleInput.optional() }),
    errors: ['ROLE_TOO_HIGH', 'NOT_FOUND', 'FRESH_PROOF_REQUIRED', 'ROLE_PROVISIONED'],
  }),
  remove: operation({
    method: 'DELETE',
    path: '/api/namespaces/{tenant}/members/{uid}',
    noun: 'members',
    summary: 'Remove a member, or take an invitation back; their SSH keys are disabled and their sessions end',
    access: may('namespaceRemoveMember'),
    params: byMember,
    response: NamespaceAfterRemoval,
    errors: ['ROLE_TOO_HIGH', 'NOT_FOUND'],
  }),
  invite: operation({
    method: 'POST',
    path: '/api/namespaces/{tenant}/members/invites',
    noun: 'members',
    summary: 'Invite by a link instead of a mail; a repetition makes a new link and ends the earlier one',
    access: may('namespaceAddMember'),
    params: byTenant,
    body: NewMember,
    response: z.object({ link: z.string() }),
    errors: [
      'NAMESPACE_FULL',
      'ROLE_TOO_HIGH',
      'NOT_FOUND',
      'ALREADY_MEMBER',
      'ADDRESS_UNPROVEN',
      'TOO_MANY_REQUESTS',
      'FRESH_PROOF_REQUIRED',
      'ROLE_PROVISIONED',
    ],
  }),
  acceptInvite: operation({
    method: 'PATCH',
    path: '/api/namespaces/{tenant}/members/accept-invite',
    noun: 'members',
    summary: 'Accept an invitation to your own address',
    access: { kind: 'user' },
    params: byTenant,
    body: z.object({
      sig: z
        .string()
        .min(1, 'is required')
        .max(512)
        .optional()
        .describe('Secret of the link; without it, an invitation from the list of your own.'),
    }),
    errors: ['NOT_YOURS', 'NOT_FOUND', 'ADDRESS_UNPROVEN'],
  }),
  inviteStatus: operation({
    method: 'GET',
    path: '/api/namespaces/{tenant}/members/{id}/accept-invite',
    noun: 'members',
    summary: 'An invitation and what the invited person must do next',
    access: { kind: 'public' },
    params: z.object({ tenant: TenantId, id: z.string().max(64) }),
    query: z.object({ sig: z.string('is required').min(1, 'is required').max(512) }),
    response: z.object({
      status: z.enum(['invited', 'not-confirmed', 'confirmed']),
      namespace: z.string().describe('Name of the namespace.'),
      role: RoleName,
      inviter: z.string().describe("Name of the person who invited; '' for the operator of the server."),
    }),
    errors: ['NOT_YOURS', 'NOT_FOUND'],
  }),
  listInvites: operation({
    method: 'GET',
    path: '/api/users/invitations',
    noun: 'members',
    summary: 'Invitations to your own address that you may accept',
    access: { kind: 'user' },
    response: z.array(Invitation),
  }),
}
