// Roles that a namespace makes for itself: permissions that members have beside their role, everywhere or on devices with a
// tag.
import * as z from 'zod'
import { LIMITS } from '../../limits.ts'
import { operation } from '../../operation.ts'
import { GRANTABLE, ROLES } from '../../roles.ts'
import { NO_CONTROL, ROW_IDS, UserId } from '../../schemas/common.ts'
import { Tag } from '../../schemas/tag.ts'
import { byTenant } from '../namespaces.ts'

const { roles: limits } = LIMITS
const PERMISSIONS = [...GRANTABLE.devices, ...GRANTABLE.namespace] as const
const nameRule = `must have 1 to ${limits.name} characters`

export const OwnRoleName = z
  .string()
  .trim()
  .min(1, nameRule)
  .max(limits.name, nameRule)
  .regex(NO_CONTROL, 'must not have control characters')
  .refine(
    (name) => !(ROLES as readonly string[]).includes(name.toLowerCase()),
    'must not be the name of a built-in role',
  )

export const OwnRoleBody = z
  .object({
    name: OwnRoleName,
    permissions: z
      .array(z.enum(PERMISSIONS))
      .min(1, 'must have at least one permission')
      .transform((found) => PERMISSIONS.filter((permission) => found.includes(permission))),
    /** On devices with one of these tags only; null: everywhere. */
    tags: z
      .array(Tag)
      .min(1, 'must have at least one tag')
      .max(LIMITS.tagsPerItem, `must be at most ${LIMITS.tagsPerItem}`)
      .transform((found) => [...new Set(found)])
      .nullable()
      .default(null),
  })
  .refine(({ permissions, tags }) => tags === null || permissions.every(isAboutDevices), {
    path: ['permissions'],
    message: 'may be about devices only where the role has tags',
  })
  .meta({ id: 'OwnRoleBody' })
export type OwnRoleBody = z.output<typeof OwnRoleBody>

const isAboutDevices = (permission: (typeof PERMISSIONS)[number]): boolean =>
  (GRANTABLE.devices as readonly string[]).includes(permission)

export const OwnRole = z
  .object({
    id: z.uuid(),
    name: z.string(),
    permissions: z.array(z.enum(PERMISSIONS)),
    tags: z.array(z.string()).nullable(),
    /** Members who have it. */
    members: z.array(UserId),
  })
  .meta({ id: 'OwnRole' })
export type OwnRole = z.infer<typeof OwnRole>

const byId = z.object({ id: z.uuid().register(ROW_IDS, { noun: 'The role' }) })
const path = '/api/roles'
const noun = 'members'
const edits = { kind: 'member', permission: 'namespaceEditMember', keys: false } as const

export const roles = {
  list: operation({
    method: 'GET',
    path,
    noun,
    summary: 'Roles of the namespace beside the four that every namespace has, and who has them',
    access: { kind: 'member', keys: true },
    response: z.array(OwnRole),
  }),
  create: operation({
    method: 'POST',
    path,
    noun,
    summary: 'Add a role to the namespace',
    access: edits,
    body: OwnRoleBody,
    status: 201,
    response: OwnRole,
    errors: ['CONFLICT', 'FRESH_PROOF_REQUIRED', 'NAMESPACE_FULL'],
  }),
  update: operation({
    method: 'PUT',
    path: `${path}/{id}`,
    noun,
    summary: 'Change a role of the namespace, at once for all who have it',
    access: edits,
    params: byId,
    body: OwnRoleBody,
    response: OwnRole,
    errors: ['CONFLICT', 'FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  remove: operation({
    method: 'DELETE',
    path: `${path}/{id}`,
    noun,
    summary: 'Remove a role of the namespace; its members keep their other ones',
    access: edits,
    params: byId,
    errors: ['NOT_FOUND'],
  }),
  assign: operation({
    method: 'PUT',
    path: '/api/namespaces/{tenant}/members/{uid}/roles',
    noun,
    summary: 'Set which roles of the namespace a member has beside their role',
    access: edits,
    params: byTenant.extend({ uid: UserId }),
    body: z.object({ roles: z.array(z.uuid()).max(limits.perMember, `must be at most ${limits.perMember}`) }),
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND', 'ROLE_TOO_HIGH'],
  }),
}
