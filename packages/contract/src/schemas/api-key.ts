// API keys.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { SCOPES } from '../scopes.ts'
import { TenantId, Time, UserId } from './common.ts'
import { RoleInput, RoleName } from './namespace.ts'

export const ApiKeyName = z
  .string()
  .min(LIMITS.apiKeyName.min, 'must have 3 to 20 characters')
  .max(LIMITS.apiKeyName.max, 'must have 3 to 20 characters')
  .regex(/^[A-Za-z0-9_-]+$/, 'may have letters, digits, - and _ only')

/** What the key is limited to, beside its role; null: everything the role allows. */
const Scopes = z
  .array(z.enum(SCOPES, 'must be an area with :read or :write, such as devices:read'))
  .min(1, 'must have a scope; leave it out for a key without limits')
  .max(SCOPES.length)
  .refine((scopes) => new Set(scopes).size === scopes.length, 'must not repeat a scope')
  .nullable()

export const ApiKey = z
  .object({
    name: z.string(),
    tenant_id: TenantId,
    role: RoleName,
    scopes: z.array(z.string()).nullable(),
    created_by: UserId,
    created_at: Time,
    updated_at: Time,
    /** Seconds since the epoch; −1 never. */
    expires_in: z.number().int(),
  })
  .meta({ id: 'ApiKey' })
export type ApiKey = z.infer<typeof ApiKey>

export const ApiKeyBody = z.object({
  name: ApiKeyName,
  expires_at: z.union(
    LIMITS.apiKeyLifetimesDays.map((days) => z.literal(days)),
    'must be -1, 30, 60, 90 or 365',
  ),
  role: RoleInput.optional(),
  scopes: Scopes.optional(),
  key: z.uuid('must be a UUID').optional(),
})

export const ApiKeyChanges = z.object({
  name: ApiKeyName.optional(),
  role: RoleInput.optional(),
  scopes: Scopes.optional(),
})
