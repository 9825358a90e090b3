// SQL that finds what alert rules tell about, and the state of their messages. System connection, except where a
// namespace's own is named.
import { LIMITS } from '@bowline/contract/limits'
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { DeliveryRow, RuleRow } from './store.ts'

type Db = Kysely<Schema>

const { alerts, presence } = LIMITS

export interface DueRule extends RuleRow {
  readonly namespace: string
}

/**
 * Rules that may make a message now: those that made none just before, nor too many within the hour. What they miss is in
 * their next one.
 */
export async function findDueRules(system: Db): Promise<DueRule[]> {
  const { rows } = await sql<DueRule>`
    select rule.*, namespaces.name as namespace from alert_rules rule
      join namespaces using (tenant_id)
      where rule.active and namespaces.disabled_at is null
        and (rule.fired_at is null or rule.fired_at < now() - make_interval(secs => ${alerts.intervalSeconds}))
        and (select count(*) from alert_deliveries made where made.rule_id = rule.id and not made.test
          and made.created_at > now() - interval '1 hour') < ${alerts.perHour}
      order by rule.tenant_id, rule.id`.execute(system)
  return rows
}

export interface Happening {
  /** Up to when things have been looked at. */
  readonly until: Date
  readonly devices: number
  /** Names of some of the devices. */
  readonly names: readonly string[]
  /** Seconds from the first and from the last event to the end. */
  readonly firstAgo: number
  readonly lastAgo: number
}

/** Absences of devices that a rule is about; `at` is when it is to tell of them. */
function eventsOf({ condition, minutes }: RuleRow): { at: RawBuilder<Date>; is: RawBuilder<SqlBool> } {
  const length = sql`make_interval(mins => ${minutes})`
  switch (condition) {
    case 'offline':
      return {
        at: sql`greatest(ended_at + ${length}, coalesce(noted_at, ended_at))`,
        is: sql`(back_at is null or back_at >= ended_at + ${length}) and cause not like 'admin:%'`,
      }
    case 'many-offline':
      return {
        at: sql`greatest(ended_at, coalesce(noted_at, ended_at))`,
        is: sql`cause not like 'admin:%' and cause not in ('gateway:stopped', 'gateway:draining', 'gateway:displaced')`,
      }
    case 'back':
      return { at: sql`back_at`, is: sql`back_at >= ended_at + ${length}` }
  }
}

/**
 * Changes that a rule has not reported yet. The last seconds are left out: a device that reconnects within them has not been away, and
 * a transaction of theirs may not be visible.
 * @param db connection of the rule's namespace
 */
export async function findHappening(db: Db, rule: RuleRow): Promise<Happening> {
  const { at, is } = eventsOf(rule)
  const until = sql`now() - make_interval(secs => ${presence.reconnectSeconds})`
  const since =
    rule.condition === 'many-offline'
      ? sql`greatest(${rule.evaluated_to}, ${until} - make_interval(mins => ${rule.minutes}))`
      : sql`${rule.evaluated_to}::timestamptz`
  const { rows } = await sql<Happening>`
    with absences as (
        select device_uid, ended_at, noted_at, cause,
            lead(started_at) over (partition by device_uid order by started_at) as back_at
          from presence_spans
          where ended_at is null or ended_at > ${since} - make_interval(mins => ${rule.minutes}) - interval '1 day'),
      happened as (
        select absences.device_uid, devices.name, ${at} as at from absences
          join devices on devices.uid = device_uid and devices.kind = 'devices' and devices.status = 'accepted'
          where ended_at is not null and ${is}
            and (${rule.tags}::text[] = '{}' or devices.tags && ${rule.tags}::text[])),
      untold as (select * from happened where at > ${since} and at <= ${until})
    select ${until} as until, count(distinct device_uid)::int as devices,
        coalesce((array_agg(distinct name order by name))[1:${sql.lit(alerts.named)}], '{}') as names,
        coalesce(extract(epoch from ${until} - min(at)), 0)::float8 as "firstAgo",
        coalesce(extract(epoch from ${until} - max(at)), 0)::float8 as "lastAgo"
      from untold`.execute(db)
  const [row] = rows
  if (!row) throw new Error('An aggregate without a row.')
  return row
}

/** Marks everything until a time as told. @returns false when another node has done so, or the rule has changed */
export async function advance(db: Db, rule: RuleRow, until: Date, fired: boolean): Promise<boolean> {
  const result = await db
    .updateTable('alert_rules')
    .set({ evaluated_to: until, ...(fired ? { fired_at: sql<Date>`now()` } : {}) })
    .where('id', '=', rule.id)
    .where('active', '=', true)
    .where('evaluated_to', '=', rule.evaluated_to)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Dependencies of the sender of messages. */
export type DueDelivery = DeliveryRow & Pick<RuleRow, 'target' | 'sealed_url' | 'sealed_secret'>

/** Leases a message that is due; those of the given rules and namespaces stay. */
export async function claimDelivery(
  system: Db,
  seconds: number,
  except: { readonly rules: readonly string[]; readonly tenants: readonly string[] },
): Promise<DueDelivery | undefined> {
  const { rows } = await sql<DueDelivery>`
    with due as (
      select delivery.id from alert_deliveries delivery join namespaces using (tenant_id)
        where due_at <= now() and leased_until < now() and namespaces.disabled_at is null
          and rule_id <> all(${except.rules}::uuid[]) and tenant_id <> all(${except.tenants}::uuid[])
        order by due_at limit 1 for update of delivery skip locked)
    update alert_deliveries delivery
      set leased_until = now() + make_interval(secs => ${seconds}), attempts = delivery.attempts + 1
      from due, alert_rules rule where delivery.id = due.id and rule.id = delivery.rule_id
      returning delivery.*, rule.target, rule.sealed_url, rule.sealed_secret`.execute(system)
  return rows[0]
}

/** The message arrived: its rule works. The rule is locked before its message, in the order of a removal. */
export async function markDelivered(system: Db, { id, rule_id }: DeliveryRow, answer: string): Promise<void> {
  await system.transaction().execute(async (db) => {
    await db.updateTable('alert_rules').set({ failing_since: null }).where('id', '=', rule_id).execute()
    await settle(db, id, 'sent', answer)
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
    if (retrySeconds === undefined) await settle(db, id, 'failed', answer)
    else {
      const due_at = sql<Date>`now() + make_interval(secs => ${retrySeconds})`
      const later = { due_at, answer, leased_until: sql<Date>`'-infinity'` }
      await db.updateTable('alert_deliveries').set(later).where('id', '=', id).execute()
    }
    return db
      .updateTable('alert_rules')
      .set({ active: false, disabled_reason: answer })
      .where('id', '=', rule_id)
      .where('active', '=', true)
      .where('failing_since', '<', sql<Date>`now() - make_interval(hours => ${alerts.failingHours})`)
      .returningAll()
      .executeTakeFirst()
  })
}

async function settle(db: Db, id: string, state: 'sent' | 'failed', answer: string): Promise<void> {
  await db
    .updateTable('alert_deliveries')
    .set({ state, answer, due_at: null, leased_until: sql<Date>`'-infinity'`, finished_at: sql<Date>`now()` })
    .where('id', '=', id)
    .execute()
}

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
