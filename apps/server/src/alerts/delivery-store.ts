// SQL of the messages of alert rules, as they are sent. System connection, except where a namespace's own is named. A rule is
// locked before its messages, in the order of a removal.
import { LIMITS } from '@bowline/contract/limits'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { DeliveryRow, RuleRow } from './store.ts'

type Db = Kysely<Schema>

const { alerts } = LIMITS

/** Dependencies of the sender of messages. */
export type DueDelivery = DeliveryRow & Pick<RuleRow, 'target' | 'sealed_url' | 'sealed_secret'>

/** Leases a message that is due; those of the given rules and namespaces stay. A rule that is off sends its tests only. */
export async function claimDelivery(
  system: Db,
  seconds: number,
  except: { readonly rules: readonly string[]; readonly tenants: readonly string[] },
): Promise<DueDelivery | undefined> {
  const { rows } = await sql<DueDelivery>`
    with due as (
      select delivery.id from alert_deliveries delivery join namespaces using (tenant_id)
          join alert_rules rule on rule.id = delivery.rule_id and (rule.active or delivery.test)
        where due_at <= now() and leased_until < now() and namespaces.disabled_at is null
          and rule_id <> all(${except.rules}::uuid[]) and delivery.tenant_id <> all(${except.tenants}::uuid[])
        order by due_at limit 1 for update of delivery skip locked)
    update alert_deliveries delivery
      set leased_until = now() + make_interval(secs => ${seconds}), attempts = delivery.attempts + 1
      from due, alert_rules rule where delivery.id = due.id and rule.id = delivery.rule_id
      returning delivery.*, rule.target, rule.sealed_url, rule.sealed_secret`.execute(system)
  return rows[0]
}

/**
 * Cancels the messages of a rule that wait. One that a node is sending now is cancelled unless it arrives.
 * @param db connection of the namespace, or of the system, whose transaction has locked the rule
 */
export async function cancelDeliveries(db: Db, rule: string, answer: string): Promise<void> {
  await db
    .updateTable('alert_deliveries')
    .set({ state: 'cancelled', answer, ...OVER })
    .where('rule_id', '=', rule)
    .where('state', '=', 'queued')
    .where('test', '=', false)
    .execute()
}

/** The message arrived: its rule works. */
export async function markDelivered(system: Db, { id, rule_id }: DeliveryRow, answer: string): Promise<void> {
  await system.transaction().execute(async (db) => {
    await db.updateTable('alert_rules').set({ failing_since: null }).where('id', '=', rule_id).execute()
    const sent = { state: 'sent' as const, answer, ...OVER }
    await db.updateTable('alert_deliveries').set(sent).where('id', '=', id).execute()
  })
}

/**
 * The attempt failed.
 * @param retrySeconds time until the next one; undefined: the message is given up
 * @returns the rule when it has failed for too long and is switched off by this
 */
export function markUndelivered(
  system: Db,
  { id, rule_id }: DeliveryRow,
  answer: string,
  retrySeconds: number | undefined,
): Promise<RuleRow | undefined> {
  return system.transaction().execute(async (db) => {
    await db
      .updateTable('alert_rules')
      .set({ failing_since: sql<Date>`coalesce(failing_since, now())` })
      .where('id', '=', rule_id)
      .execute()
    const later = { due_at: sql<Date>`now() + make_interval(secs => ${retrySeconds ?? 0})`, answer, leased_until: FREE }
    await db
      .updateTable('alert_deliveries')
      .set(retrySeconds === undefined ? { state: 'failed', answer, ...OVER } : later)
      .where('id', '=', id)
      .where('state', '=', 'queued')
      .execute()
    const ended = await db
      .updateTable('alert_rules')
      .set({ active: false, disabled_reason: answer })
      .where('id', '=', rule_id)
      .where('active', '=', true)
      .where('failing_since', '<', sql<Date>`now() - make_interval(hours => ${alerts.failingHours})`)
      .returningAll()
      .executeTakeFirst()
    if (ended) await cancelDeliveries(db, rule_id, SWITCHED_OFF)
    return ended
  })
}

/** Answer of messages that are cancelled because their rule is off. */
export const SWITCHED_OFF = 'The rule was switched off.'

const FREE = sql<Date>`'-infinity'`
const OVER = { due_at: null, leased_until: FREE, finished_at: sql<Date>`now()` }

/** Deletes messages that are older, or more, than what is listed. Those that are queued stay. */
export async function deleteOldDeliveries(system: Db): Promise<void> {
  await sql`
    delete from alert_deliveries using (
        select id, row_number() over (partition by rule_id order by created_at desc, id) as place, created_at
          from alert_deliveries where state <> 'queued') old
      where old.id = alert_deliveries.id
        and (old.place > ${alerts.kept} or old.created_at < now() - make_interval(days => ${alerts.keptDays}))`.execute(
    system,
  )
}
