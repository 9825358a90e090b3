// Events about the members of a namespace.
import type { UserId } from '@bowline/contract/schemas/common'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { getNamespace } from '../namespaces/service.ts'

/** Emits the new state of members. @param db system connection */
export async function emitMembers(db: Kysely<Schema>, ctx: TenantContext, users: readonly UserId[]): Promise<void> {
  if (users.length === 0) return
  const { members } = await getNamespace(db, ctx.tenant)
  for (const member of members) if (users.includes(member.id)) ctx.emit({ type: 'member.changed', member })
}

/** Emits the member's new state. @param db system connection @returns the whole namespace, for the answer */
export async function emitMember(
  db: Kysely<Schema>,
  ctx: TenantContext,
  user: UserId,
  type: 'member.added' | 'member.changed',
): Promise<Namespace> {
  const namespace = await getNamespace(db, ctx.tenant)
  const member = namespace.members.find(({ id }) => id === user)
  // If the member was removed meanwhile, that removal has emitted its own event.
  if (member) ctx.emit({ type, member })
  return namespace
}
