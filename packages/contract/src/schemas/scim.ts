// Provisioning of a namespace's members by its identity provider, as administrators see and set it.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { Time, UserId } from './common.ts'

/** Provisioning makes nobody an owner. */
export const ProvisionedRole = z.enum(['administrator', 'operator', 'observer'])

const { min, max } = LIMITS.scim.tokenName
export const ScimTokenName = z
  .string()
  .trim()
  .min(min, `must have ${min} to ${max} characters`)
  .max(max, `must have ${min} to ${max} characters`)
  .regex(/^[A-Za-z0-9 ._@-]+$/, 'may have letters, digits, spaces and . _ @ - only')

export const ScimToken = z
  .object({
    id: z.uuid(),
    name: z.string(),
    created_by: UserId.describe('The token ends with this membership.'),
    created_at: Time,
    last_used_at: Time.nullable(),
  })
  .meta({ id: 'ScimToken' })
export type ScimToken = z.infer<typeof ScimToken>

export const ScimRole = z
  .object({
    group: z
      .string()
      .trim()
      .min(1, 'is required')
      .max(256)
      .describe('Name of a group of the identity provider, in any case.'),
    role: ProvisionedRole,
  })
  .meta({ id: 'ScimRole' })

export const ScimRequest = z
  .object({
    id: z.number().int(),
    at: Time,
    token: z.string().describe('Name of the token.'),
    method: z.string(),
    path: z.string(),
    status: z.number().int(),
    detail: z.string().describe('Why it was refused; empty if it was not.'),
  })
  .meta({ id: 'ScimRequest' })

export const Scim = z
  .object({
    enabled: z.boolean(),
    base_url: z.string().describe('What the identity provider is told as the address.'),
    mails: z.boolean().describe('Invitations go out by mail.'),
    default_role: ProvisionedRole.describe('Role of people in no group of the table.'),
    joins_at_sign_in: z
      .boolean()
      .describe(
        'Signing in by a provider of the server makes people members; else they accept. Set by its administrators.',
      ),
    roles: z.array(ScimRole).describe('Roles by group; of several the highest one counts.'),
    tokens: z.array(ScimToken),
    users: z.number().int().describe('Users that the identity provider has described.'),
    groups: z.number().int().describe('Groups that the identity provider has described.'),
    requests: z
      .array(ScimRequest)
      .describe('The last changes that were asked for, and refused requests, newest first.'),
  })
  .meta({ id: 'Scim' })
export type Scim = z.infer<typeof Scim>
