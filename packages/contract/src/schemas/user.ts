// Users: the response to a sign-in.
import * as z from 'zod'
import { ROLES } from '../roles.ts'

export const UserAuth = z
  .object({
    token: z.string(),
    id: z.string(),
    origin: z.enum(['local', 'SAML']),
    auth_methods: z.array(z.enum(['local', 'saml'])),
    user: z.string(),
    name: z.string(),
    email: z.string(),
    recovery_email: z.string(),
    tenant: z.string(),
    role: z.union([z.enum(ROLES), z.literal('')]),
    mfa: z.boolean(),
    max_namespaces: z.number().int(),
  })
  .meta({ id: 'UserAuth' })
export type UserAuth = z.infer<typeof UserAuth>
