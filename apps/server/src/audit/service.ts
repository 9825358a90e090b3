// The audit log of a namespace: who did what. Append only; the database refuses anything else.
import type { AuditEntry } from '@bowline/contract/schemas/audit'
import type { Kysely } from 'kysely'
import type { Actor, TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { insertEntries, insertEntry, readAuditAfter } from './store.ts'

/** Actions of the audit log, `noun.verb`. */
export type AuditAction =
  | 'device.accept'
  | 'device.accept-undo'
  | 'device.reject'
  | 'device.pending'
  | 'device.unused'
  | 'device.remove'
  | 'device.replace'
  | 'device.pair'
  | 'device.import'
  | 'device.update'
  | 'device.tags'
  | 'device.choose'
  | 'device.host-key'
  | 'device.accept-host-key'
  | 'device.bulk'
  | 'device.bulk-end'
  | 'billing.update'
  | 'tag.rename'
  | 'tag.remove'
  | 'public-key.create'
  | 'public-key.update'
  | 'public-key.remove'
  | 'public-key.disable'
  | 'firewall-rule.create'
  | 'firewall-rule.update'
  | 'firewall-rule.remove'
  | 'firewall-rule.order'
  | 'access-request.create'
  | 'access-request.approve'
  | 'access-request.deny'
  | 'access-request.end'
  | 'access-request.expire'
  | 'access-request.withdraw'
  | 'access-request.update'
  | 'role.create'
  | 'role.update'
  | 'role.remove'
  | 'tunnel.create'
  | 'tunnel.update'
  | 'tunnel.remove'
  | 'connector.create'
  | 'connector.update'
  | 'connector.remove'
  | 'held-login.approve'
  | 'held-login.deny'
  | 'session.close'
  | 'session.refuse'
  | 'session.guesses'
  | 'session.legacy-signature'
  | 'session.update'
  | 'session.join'
  | 'session.join-deny'
  | 'session.join-end'
  | 'session.join-remove'
  | 'recording.watch'
  | 'recording.play'
  | 'recording.preview'
  | 'recording.commands'
  | 'recording.complete'
  | 'recording.fail'
  | 'recording.remove'
  | 'recording.expire'
  | 'api-key.create'
  | 'api-key.update'
  | 'api-key.remove'
  | 'alert-rule.create'
  | 'alert-rule.update'
  | 'alert-rule.remove'
  | 'alert-rule.renew-secret'
  | 'alert-rule.test'
  | 'alert-rule.disable'
  | 'audit-stream.create'
  | 'audit-stream.update'
  | 'audit-stream.remove'
  | 'audit-stream.test'
  | 'audit-stream.disable'
  | 'snippet.create'
  | 'snippet.update'
  | 'snippet.remove'
  | 'tag-rule.create'
  | 'tag-rule.update'
  | 'tag-rule.remove'
  | 'tag-rule.apply'
  | 'agent-update.policy'
  | 'agent-update.start'
  | 'agent-update.pause'
  | 'agent-update.resume'
  | 'agent-update.abort'
  | 'agent-update.halt'
  | 'agent-update.stage'
  | 'agent-update.done'
  | 'agent-update.handover'
  | 'install-key.create'
  | 'install-key.update'
  | 'install-key.use'
  | 'install-key.remove'
  | 'namespace.create'
  | 'namespace.update'
  | 'namespace.remove'
  | 'namespace.restore'
  | 'namespace.undelete'
  | 'namespace.purge'
  | 'namespace.export'
  | 'member.add'
  | 'member.invite'
  | 'member.accept'
  | 'member.update'
  | 'member.roles'
  | 'member.remove'
  | 'member.leave'
  | 'member.provision'
  | 'scim.update'
  | 'scim-token.create'
  | 'scim-token.remove'
  | 'namespace.disable'
  | 'namespace.enable'
  | 'namespace.limit'
  | 'namespace.hand-over'

/** Actions that concern no namespace, in the log of the instance. */
export type InstanceAuditAction =
  | 'account.create'
  | 'account.disable'
  | 'account.enable'
  | 'account.sign-out'
  | 'account.limit'
  | 'account.administrator'
  | 'account.import'
  | 'limit.update'
  | 'audit.export'

/** Non-secret facts of an action; for a change `{ before, after }` with the changed fields. */
export type AuditDetails = Readonly<Record<string, unknown>>

/** Writes an entry. Call it within the transaction of the action, with that transaction's `db` in the context. */
export async function audit(
  ctx: TenantContext,
  action: AuditAction,
  target: string,
  details: AuditDetails = {},
): Promise<void> {
  const { type, id } = auditActor(ctx.actor)
  await insertEntry(ctx.db, {
    tenant_id: ctx.tenant,
    actor_type: type,
    actor_id: id,
    action,
    target,
    ip: ctx.source,
    details,
    job_id: ctx.job ?? null,
  })
}

/** Writes an entry of the same action for each target, in one statement. Call it as {@link audit}. */
export async function auditAll(
  ctx: TenantContext,
  action: AuditAction,
  entries: readonly { readonly target: string; readonly details: AuditDetails }[],
): Promise<void> {
  if (entries.length === 0) return
  const { type, id } = auditActor(ctx.actor)
  const { tenant: tenant_id, source: ip, job: job_id = null } = ctx
  const shared = { tenant_id, actor_type: type, actor_id: id, action, ip, job_id }
  await insertEntries(ctx.db, shared, entries)
}

/**
 * Writes an entry of the instance, which administrators of the server see. Call it within the transaction of the action.
 * @param db system connection
 */
export async function auditInstance(
  db: Kysely<Schema>,
  by: { readonly actor: Actor; readonly source: string },
  action: InstanceAuditAction,
  target: string,
  details: AuditDetails = {},
): Promise<void> {
  const { type, id } = auditActor(by.actor)
  const entry = { tenant_id: null, actor_type: type, actor_id: id, action, target, ip: by.source, details }
  await insertEntry(db, entry)
}

/** Entries of the namespace after one, oldest first. @param system connection: for user names */
export function entriesAfter(
  { db }: Pick<TenantContext, 'db'>,
  system: Kysely<Schema>,
  range: Parameters<typeof readAuditAfter>[2],
): Promise<AuditEntry[]> {
  return readAuditAfter(db, system, range)
}

/** Stored representation of an actor. */
export function auditActor(actor: Actor): { type: 'user' | 'api-key' | 'system'; id: string } {
  switch (actor.kind) {
    case 'user':
      return { type: 'user', id: actor.id }
    case 'api-key':
      return { type: 'api-key', id: actor.name }
    case 'device':
      return { type: 'system', id: `device ${actor.uid}` }
    case 'system':
      return { type: 'system', id: actor.name }
  }
}
