// Users: the response to a sign-in, and the identities of sign-in providers that are linked to an account.
import * as z from 'zod'
import { ROLES } from '../roles.ts'
import { Time } from './common.ts'

export const UserAuth = z
  .object({
    token: z.string(),
    id: z.string(),
    origin: z.enum(['local', 'SAML', 'OpenID']),
    auth_methods: z.array(z.enum(['local', 'saml', 'openid'])),
    user: z.string(),
    name: z.string(),
    email: z.string(),
    /** New address that waits for its confirmation; '' if there is none. */
    pending_email: z.string(),
    recovery_email: z.string(),
    tenant: z.string(),
    role: z.union([z.enum(ROLES), z.literal('')]),
    /** Permissions by roles of the namespace, beside the role; with tags, on devices with one of them only. */
    grants: z.array(z.object({ permissions: z.array(z.string()), tags: z.array(z.string()).nullable() })),
    mfa: z.boolean(),
    /** False for people who sign in with passkeys only, or by SAML. */
    has_password: z.boolean(),
    max_namespaces: z.number().int(),
    /** True if the person administers this server. */
    instance_admin: z.boolean(),
  })
  .meta({ id: 'UserAuth' })
export type UserAuth = z.infer<typeof UserAuth>

/**
 * What linked an identity: the password of the account, a mailed link, an address that the provider vouches for and that
 * the server trusts, the first sign-in, which made the account, or an invitation, which the sign-in completed.
 * `unknown`: linked by an earlier version.
 */
export const LinkedBy = z.enum(['password', 'mail', 'address', 'sign-in', 'invitation', 'unknown'])
export type LinkedBy = z.infer<typeof LinkedBy>

export const LinkedIdentity = z
  .object({
    id: z.string(),
    kind: z.enum(['saml', 'openid']),
    /** Name of the OpenID provider; its issuer or entity ID for SAML and for a provider that is gone. */
    provider: z.string(),
    /** Issuer or entity ID. */
    issuer: z.string(),
    /** Name of the person at the provider, for good. */
    subject: z.string(),
    /** Address as the provider last told it. */
    email: z.string(),
    linked_by: LinkedBy,
    linked_at: Time,
    last_used_at: Time,
  })
  .meta({ id: 'LinkedIdentity' })
export type LinkedIdentity = z.infer<typeof LinkedIdentity>
