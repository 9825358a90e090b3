// SQL that finds what alert rules have to tell.
import { LIMITS } from '@bowline/contract/limits'
import type { PresenceCondition } from '@bowline/contract/operations/fleet/alerts'
import { type Expression, type Kysely, type SqlBool, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { UNTIL, eventsOf, newestOf } from './events.ts'
import type { RuleRow } from './store.ts'
import { limitStatements } from './time-limit.ts'

type Db = Kysely<Schema>

const { alerts } = LIMITS
/** A rule without anything to tell is marked as evaluated no more often, and not all rules at once. */
const MARK = sql`interval '5 minutes'`
const MARKED_AT_ONCE = 5_000

/** A rule about presence. */
export interface DueRule extends RuleRow {
  readonly condition: PresenceCondition
  readonly namespace: string
  /** Up to when this pass looks. */
  readonly until: Date
  /** Time of the newest event in its namespace that it may be about. */
  readonly newest: Date
}

/**
 * Rules that may make a message now, because devices of their namespace have left or come back since they were evaluated, and
 * because they made none just before, nor too many within the hour. What they miss is in their next one. Rules about which
 * nothing has happened are marked as evaluated. One statement, whose work for each rule is a look into an index.
 * @param system system connection
 */
export async function findDueRules(system: Db): Promise<DueRule[]> {
  const window = {
    since: sql<Date>`since`,
    until: sql<Date>`until`,
  }
  const newest = (condition: PresenceCondition) =>
    newestOf(condition, sql`looked.tenant_id`, sql`make_interval(mins => minutes)`, window)
  const { rows } = await sql<DueRule>`
    with looked as (
        select id, tenant_id, condition, minutes, evaluated_to, until,
            case when condition = 'many-offline' then greatest(evaluated_to, until - make_interval(mins => minutes))
              else evaluated_to end as since
          from alert_rules, (select ${UNTIL} as until) times
          where active and evaluated_to < 'infinity' and (fired_at is null or fired_at < now() - make_interval(secs => ${alerts.intervalSeconds}))),
      found as materialized (
        select id, evaluated_to, until, condition, case condition
            when 'offline' then ${newest('offline')}
            when 'many-offline' then ${newest('many-offline')}
            else ${newest('back')} end as newest
          from looked),
      quiet as (
        select rule.id, found.until from alert_rules rule join found using (id)
          where newest is null and found.condition <> 'many-offline' and found.evaluated_to < until - ${MARK}
            and rule.evaluated_to = found.evaluated_to
          limit ${sql.lit(MARKED_AT_ONCE)} for update of rule skip locked),
      marked as (update alert_rules set evaluated_to = quiet.until from quiet where quiet.id = alert_rules.id)
    select rule.*, namespaces.name as namespace, found.until, found.newest
      from found join alert_rules rule using (id) join namespaces using (tenant_id)
      where newest is not null and namespaces.disabled_at is null
        and (rule.fired_at is null or rule.fired_at < now() - interval '1 hour'
          or (select count(*) from alert_deliveries made where made.rule_id = rule.id and not made.test
            and made.created_at > now() - interval '1 hour') < ${alerts.perHour})
      order by rule.tenant_id, rule.id`.execute(system)
  return rows
}

export interface Happening {
  readonly devices: number
  /** Names of some of the devices. */
  readonly names: readonly string[]
  /** Seconds from the first and from the last event to the end. */
  readonly firstAgo: number
  readonly lastAgo: number
}

/**
 * Reads what rules of one namespace have not told yet, in one statement.
 * @param db connection of the namespace
 * @param wanted rules with the conditions of their filters
 * @param seconds longest time that the statement may take
 * @returns by id of the rule
 */
export async function findHappenings(
  db: Db,
  wanted: readonly { readonly rule: DueRule; readonly filter: Expression<SqlBool> | undefined }[],
  seconds: number,
): Promise<ReadonlyMap<string, Happening>> {
  const parts = wanted.map(({ rule, filter }) => {
    const { id, until, tags, minutes, condition, evaluated_to } = rule
    const lookBack = new Date(until.getTime() - minutes * 60_000)
    const since = condition === 'many-offline' && lookBack > evaluated_to ? lookBack : evaluated_to
    const events = eventsOf(rule, { since: sql`${since}::timestamptz`, until: sql`${until}::timestamptz` })
    return sql`
      select ${id}::text as id, count(distinct uid)::int as devices,
          coalesce((array_agg(distinct name order by name))[1:${sql.lit(alerts.named)}], '{}') as names,
          coalesce(extract(epoch from ${until}::timestamptz - min(at)), 0)::float8 as "firstAgo",
          coalesce(extract(epoch from ${until}::timestamptz - max(at)), 0)::float8 as "lastAgo"
        from (${events}) events
          join devices on devices.uid = device_uid and devices.kind = 'devices' and devices.status = 'accepted'
        where (${tags}::text[] = '{}' or devices.tags && ${tags}::text[]) and ${filter ?? sql`true`}`
  })
  return db.transaction().execute(async (inner) => {
    await limitStatements(inner, seconds)
    const { rows } = await sql<Happening & { id: string }>`${sql.join(parts, sql` union all `)}`.execute(inner)
    return new Map(rows.map(({ id, ...happening }) => [id, happening]))
  })
}

type Seen = Pick<DueRule, 'id' | 'evaluated_to' | 'until'>

/**
 * Marks everything until a time as told by a message.
 * @param db system connection in a transaction
 * @param seconds longest wait for whoever changes the rule now
 * @returns false when another node has done so, or the rule has changed
 */
export async function markTold(db: Db, { id, evaluated_to, until }: Seen, seconds: number): Promise<boolean> {
  await sql`select set_config('lock_timeout', ${String(seconds * 1_000)}, true)`.execute(db)
  const result = await db
    .updateTable('alert_rules')
    .set({ evaluated_to: until, fired_at: sql<Date>`now()` })
    .where('id', '=', id)
    .where('active', '=', true)
    .where('evaluated_to', '=', evaluated_to)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Marks rules as evaluated that had nothing to tell. @param system system connection */
export async function markQuiet(system: Db, rules: readonly Seen[]): Promise<void> {
  if (rules.length === 0) return
  await sql`
    update alert_rules set evaluated_to = quiet.until
      from (select rule.id, seen.until
          from unnest(${rules.map(({ id }) => id)}::uuid[], ${rules.map((rule) => rule.evaluated_to)}::timestamptz[],
            ${rules.map(({ until }) => until)}::timestamptz[]) seen (id, evaluated_to, until)
          join alert_rules rule on rule.id = seen.id and rule.evaluated_to = seen.evaluated_to
          for update of rule skip locked) quiet
      where quiet.id = alert_rules.id`.execute(system)
}
