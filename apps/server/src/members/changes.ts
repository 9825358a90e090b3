// Events about the members of a namespace.
import type { UserId } from '@bowline/contract/schemas/common'
import type { Namespace } from '@bowline/contract/schemas/namespace'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { getNamespace } from '../namespaces/service.ts'

/** More at once are told as one event: they would exceed the queue of a listener, who is cut off then. */
const MANY = 300

/**
 * Emits the states of members, after the transaction.
 * @param db system connection
 * @param added those of them who were none before
 */
export async function emitMembers(
  db: Kysely<Schema>,
  ctx: TenantContext,
  users: Iterable<UserId>,
  added: ReadonlySet<UserId> = new Set(),
): Promise<void> {
  const changed = new Set(users)
  const count = changed.size + added.size
  if (count === 0 || !ctx.hasListeners()) return
  if (count > MANY) return ctx.emit({ type: 'reset' })
  for (const member of (await getNamespace(db, ctx.tenant)).members) {
    if (added.has(member.id)) ctx.emit({ type: 'member.added', member })
    else if (changed.has(member.id)) ctx.emit({ type: 'member.changed', member })
  }
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
