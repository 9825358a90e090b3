// Settings of provisioning by SCIM. The protocol itself (RFC 7644) is served beside the API, under /api/scim/v2.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { operation } from '../operation.ts'
import { TenantId } from '../schemas/common.ts'
import { ProvisionedRole, Scim, ScimRole, ScimToken, ScimTokenName } from '../schemas/scim.ts'

const byTenant = z.object({ tenant: TenantId })
/** Whoever decides who is a member. */
const administrators = { kind: 'member', permission: 'namespaceEditMember', keys: false } as const

export const scim = {
  get: operation({
    method: 'GET',
    path: '/api/namespaces/{tenant}/scim',
    noun: 'scim',
    summary: 'Provisioning of members by an identity provider (SCIM 2.0): settings, tokens, last requests',
    access: administrators,
    params: byTenant,
    response: Scim,
    errors: ['NOT_FOUND'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/api/namespaces/{tenant}/scim',
    noun: 'scim',
    summary: 'Switch provisioning on or off and set which groups give which role; omitted fields stay unchanged',
    bodyBytes: 65_536,
    access: administrators,
    params: byTenant,
    body: z.object({
      enabled: z.boolean().optional(),
      mails: z.boolean().optional(),
      default_role: ProvisionedRole.optional(),
      roles: z.array(ScimRole).max(LIMITS.scim.roles, `must have at most ${LIMITS.scim.roles} groups`).optional(),
    }),
    response: Scim,
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED'],
  }),
  createToken: operation({
    method: 'POST',
    path: '/api/namespaces/{tenant}/scim/tokens',
    noun: 'scim',
    summary: 'Create a token for an identity provider; it is shown this once',
    access: administrators,
    params: byTenant,
    body: z.object({ name: ScimTokenName }),
    response: ScimToken.extend({ token: z.string() }).meta({ id: 'NewScimToken' }),
    errors: ['NOT_FOUND', 'CONFLICT', 'POLICY_LIMIT', 'FRESH_PROOF_REQUIRED'],
  }),
  removeToken: operation({
    method: 'DELETE',
    path: '/api/namespaces/{tenant}/scim/tokens/{id}',
    noun: 'scim',
    summary: 'Revoke a token',
    access: administrators,
    params: byTenant.extend({ id: z.string().max(64) }),
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
}
