// SQL of alert rules, as members change them.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import { type Insertable, type Kysely, type Selectable, type Updateable, sql } from 'kysely'
import { countRows } from '../db/lists/count.ts'
import type { JsonObject, Schema } from '../db/schema.ts'
import type { AlertDeliveriesTable, AlertRulesTable } from '../db/tables/alert-tables.ts'

type Db = Kysely<Schema>
export type RuleRow = Selectable<AlertRulesTable>
export type DeliveryRow = Selectable<AlertDeliveriesTable>

/** Threshold of a rule about health, in the unit of its condition; null for one about presence. */
export function thresholdOf({ threshold, latency_ms }: Pick<RuleRow, 'threshold' | 'latency_ms'>): number | null {
  return threshold ?? latency_ms
}

/** Columns of a rule with a threshold. */
export function thresholdColumns(condition: RuleRow['condition'], threshold: number | null) {
  return condition === 'latency' ? { threshold: null, latency_ms: threshold } : { threshold, latency_ms: null }
}

export function listRules(db: Db): Promise<RuleRow[]> {
  return db.selectFrom('alert_rules').selectAll().orderBy('created_at').orderBy('id').execute()
}

export function findRule(db: Db, id: string): Promise<RuleRow | undefined> {
  return db.selectFrom('alert_rules').selectAll().where('id', '=', id).executeTakeFirst()
}

/** A rule that nothing else changes until the transaction ends. */
export function lockRule(db: Db, id: string): Promise<RuleRow | undefined> {
  return db.selectFrom('alert_rules').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Locks the rules with a tag, and those with a filter, which may name it; in a fixed order to avoid deadlocks. */
export function lockRulesWithTagOrFilter(db: Db, tag: string): Promise<RuleRow[]> {
  return db
    .selectFrom('alert_rules')
    .selectAll()
    .where(sql<boolean>`(${tag} = any(tags) or filter <> '')`)
    .orderBy('id')
    .forUpdate()
    .execute()
}

export function countRules(db: Db): Promise<number> {
  return countRows(db.selectFrom('alert_rules'))
}

export function insertRule(db: Db, rule: Insertable<AlertRulesTable>): Promise<RuleRow> {
  // As in updateRule.
  const evaluated = rule.threshold || rule.latency_ms ? { evaluated_to: sql<Date>`'infinity'` } : {}
  return db
    .insertInto('alert_rules')
    .values({ ...rule, ...evaluated })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** @param afresh the rule tells of what happens from now on, by a target that has not failed yet */
export function updateRule(db: Db, id: string, values: Updateable<AlertRulesTable>, afresh = false): Promise<RuleRow> {
  // Rules about health have states instead of a time.
  const begun = sql<Date>`case when evaluated_to = 'infinity' then evaluated_to else now() end`
  const again = { evaluated_to: begun, failing_since: null, disabled_reason: null }
  return db
    .updateTable('alert_rules')
    .set({ id, ...values, ...(afresh ? again : {}) })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** @returns its name; undefined when there is none */
export async function deleteRule(db: Db, id: string): Promise<string | undefined> {
  const row = await db.deleteFrom('alert_rules').where('id', '=', id).returning('name').executeTakeFirst()
  return row?.name
}

/** Messages of a rule, the newest first. */
export async function listDeliveries(
  db: Db,
  rule: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: DeliveryRow[]; total: number }> {
  const own = db.selectFrom('alert_deliveries').where('rule_id', '=', rule)
  const page = own.selectAll().orderBy('created_at', 'desc').orderBy('id').limit(limit).offset(offset)
  return { rows: await page.execute(), total: await countRows(own) }
}

/** Writes a message. @param due false: it has been handed to the outbox of mails */
export function insertDelivery(
  db: Db,
  delivery: {
    readonly tenant: TenantId
    readonly rule: string
    readonly id: string
    readonly test: boolean
    readonly text: string
    readonly body: JsonObject
    readonly outcome?: { readonly state: 'sent' | 'failed'; readonly answer: string }
  },
): Promise<DeliveryRow> {
  const { tenant: tenant_id, rule: rule_id, id, test, text, body, outcome } = delivery
  const now = sql<Date>`now()`
  const state = outcome
    ? { ...outcome, due_at: null, finished_at: now, attempts: 1 }
    : { state: 'queued' as const, due_at: now, finished_at: null }
  return db
    .insertInto('alert_deliveries')
    .values({ tenant_id, rule_id, id, test, text, body, ...state })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Accepted members among some people, with their addresses; accounts that are disabled get nothing. */
export function findRecipients(
  db: Db,
  tenant: TenantId,
  users: readonly UserId[],
): Promise<{ id: UserId; email: string; name: string | null; username: string | null }[]> {
  if (users.length === 0) return Promise.resolve([])
  return db
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['users.id', 'users.email', 'users.name', 'users.username'])
    .where('members.tenant_id', '=', tenant)
    .where('members.user_id', 'in', users)
    .where('members.status', '=', 'accepted')
    .where('users.status', '=', 'confirmed')
    .where(sql<boolean>`not is_disabled_account(users.id)`)
    .orderBy('users.email')
    .execute()
}
