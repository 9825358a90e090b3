// SQL of devices at or above the threshold of an alert rule.
import { LIMITS } from '@bowline/contract/limits'
import type { HealthCondition } from '@bowline/contract/operations/fleet/alerts'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { type RuleRow, thresholdOf } from './store.ts'

type Db = Kysely<Schema>

const { alerts, health } = LIMITS

export interface HealthRule extends RuleRow {
  readonly condition: HealthCondition
  readonly threshold: number
  readonly namespace: string
  /** Whether it may make a message now. */
  readonly isReady: boolean
}

/** Rules about the health of devices, of all namespaces. @param system system connection */
export async function findHealthRules(system: Db): Promise<HealthRule[]> {
  const { rows } = await sql<HealthRule>`
    select rule.*, namespaces.name as namespace,
        (fired_at is null or fired_at < now() - make_interval(secs => ${sql.lit(alerts.intervalSeconds)}))
          and (select count(*) from alert_deliveries made where made.rule_id = rule.id and not made.test
            and made.created_at > now() - interval '1 hour') < ${sql.lit(alerts.perHour)} as "isReady"
      from alert_rules rule join namespaces using (tenant_id)
      where rule.active and rule.evaluated_to = 'infinity' and namespaces.disabled_at is null
      order by rule.tenant_id, rule.id`.execute(system)
  return rows.map((row) => ({ ...row, threshold: thresholdOf(row) ?? row.threshold }))
}

/** A device recovers below this value: one that moves around the threshold makes one message (hysteresis). */
export function recoveryOf({ condition, threshold }: Pick<HealthRule, 'condition' | 'threshold'>): number {
  if (condition === 'latency') return Math.round(threshold * 0.9)
  return condition === 'load' ? Math.round(threshold * 90) / 100 : Math.max(0, threshold - 5)
}

/** Devices that a rule is about. */
const matched = ({ tags }: HealthRule, filter: Expression<SqlBool> | undefined) => sql`
  select uid from devices where devices.kind = 'devices' and devices.status = 'accepted'
    and (${tags}::text[] = '{}' or devices.tags && ${tags}::text[]) and ${filter ?? sql`true`}`

/** Values of recent reports; latency also of devices that report nothing else. */
const reported = (rule: HealthRule) => sql`
  select device_uid, ${sql.ref(rule.condition)} as value, reported_at from device_health
    where reported_at > now() - make_interval(secs => ${sql.lit(health.freshSeconds)})`

/**
 * Adds devices that have reached the threshold, and removes those that recovered before a message was written, and those that
 * the rule does not match any more. A device without a recent report keeps its state.
 * @param db connection of the namespace
 */
export async function settleStates(db: Db, rule: HealthRule, filter: Expression<SqlBool> | undefined): Promise<void> {
  await sql`
    with matched as materialized (${matched(rule, filter)}), reported as materialized (${reported(rule)}),
      begun as (
        insert into alert_states (rule_id, device_uid, tenant_id, since)
          select ${rule.id}::uuid, device_uid, ${rule.tenant_id}::uuid, reported_at
            from reported join matched on matched.uid = device_uid where value >= ${rule.threshold} order by device_uid
          on conflict do nothing)
    delete from alert_states where rule_id = ${rule.id} and (device_uid not in (select uid from matched)
      or (notified_at is null and device_uid in (select device_uid from reported where value < ${recoveryOf(rule)})))`.execute(
    db,
  )
}

export interface Named {
  readonly uid: DeviceUid
  readonly name: string
}

/** Devices that a message is due about: above the threshold for long enough, or recovered after a message. */
export async function findDueStates(db: Db, rule: HealthRule): Promise<{ beyond: Named[]; recovered: Named[] }> {
  const { rows } = await sql<Named & { isBeyond: boolean }>`
    select state.device_uid as uid, devices.name, state.notified_at is null as "isBeyond"
      from alert_states state join devices on devices.uid = state.device_uid left join (${reported(rule)}) reported using (device_uid)
      where rule_id = ${rule.id} and case when notified_at is null then since <= now() - make_interval(mins => ${rule.minutes})
          else reported.value < ${recoveryOf(rule)} end
      order by devices.name`.execute(db)
  return { beyond: rows.filter(({ isBeyond }) => isBeyond), recovered: rows.filter(({ isBeyond }) => !isBeyond) }
}

/**
 * Marks devices as notified, and removes the recovered ones.
 * @param db system connection in a transaction, which writes the messages
 * @returns false when another node has done so, or the rule has changed
 */
export async function markStates(
  db: Db,
  { id, fired_at }: HealthRule,
  beyond: readonly Named[],
  recovered: readonly Named[],
): Promise<boolean> {
  const marked = await db
    .updateTable('alert_rules')
    .set({ fired_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('active', '=', true)
    .where(sql<boolean>`fired_at is not distinct from ${fired_at}`)
    .executeTakeFirst()
  if (marked.numUpdatedRows !== 1n) return false
  await sql`update alert_states set notified_at = now()
    where rule_id = ${id} and device_uid = any(${beyond.map(({ uid }) => uid)}::text[])`.execute(db)
  await sql`delete from alert_states
    where rule_id = ${id} and device_uid = any(${recovered.map(({ uid }) => uid)}::text[])`.execute(db)
  return true
}

/** Evaluation of a rule begins anew: devices above its threshold make a message again. */
export async function deleteStates(db: Db, rule: string): Promise<void> {
  await db.deleteFrom('alert_states').where('rule_id', '=', rule).execute()
}
