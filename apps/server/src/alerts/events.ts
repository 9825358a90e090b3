// SQL of the absences that alert rules are about, and of when a rule tells of each. Every condition reads a narrow range of
// an index: what became due since the rule was evaluated last.
import { LIMITS } from '@bowline/contract/limits'
import type { PresenceCondition } from '@bowline/contract/operations/fleet/alerts'
import { type RawBuilder, sql } from 'kysely'
import type { RuleRow } from './store.ts'

/** Ends that are noted later than this are found by when they were noted; see the index in migration 0071. */
const LATE = sql`interval '1 minute'`
const IS_LATE = sql`noted_at - ended_at > ${LATE}`
/** An end that becomes known even later than this is told by nobody. */
const TOO_LATE = sql`interval '1 day'`

/** Devices that somebody took away have not gone offline; and a server that stops is no failure of many devices. */
const TOLD = sql`cause not like 'admin:%'`
const TOLD_OF_MANY = sql`cause not like 'admin:%' and cause not in ('gateway:stopped', 'gateway:draining', 'gateway:displaced')`

/** Times between which a rule tells, as SQL: after `since`, up to `until`. */
export interface Window {
  readonly since: RawBuilder<Date>
  readonly until: RawBuilder<Date>
}
type Rule = Pick<RuleRow, 'minutes'> & { readonly condition: PresenceCondition }

/** `device_uid` and `at` of what a rule tells in a time, of every device of the namespace. @returns a query */
export function eventsOf({ condition, minutes }: Rule, { since, until }: Window): RawBuilder<unknown> {
  const length = sql`make_interval(mins => ${minutes})`
  switch (condition) {
    case 'offline':
      // A rule waits for a minute at least, by which ends that are not late have been noted.
      return sql`
        select device_uid, at from (
            select device_uid, started_at, ended_at, ended_at + ${length} as at from presence_spans
              where ended_at > ${since} - ${length} and ended_at <= ${until} - ${length} and noted_at <= ${until} and ${TOLD}
            union all
            select device_uid, started_at, ended_at, noted_at from presence_spans
              where ${IS_LATE} and noted_at > ${since} and noted_at <= ${until}
                and ended_at <= ${since} - ${length} and ended_at > ${since} - ${length} - ${TOO_LATE} and ${TOLD}) gone
          where not exists (select from presence_spans later where later.device_uid = gone.device_uid
            and later.started_at > gone.started_at and later.started_at < gone.ended_at + ${length})`
    case 'many-offline':
      return sql`
        select device_uid, noted_at as at from presence_spans
          where ended_at > ${since} - ${LATE} and ended_at <= ${until} and noted_at > ${since} and noted_at <= ${until}
            and not (${IS_LATE}) and ${TOLD_OF_MANY}
        union all
        select device_uid, noted_at from presence_spans
          where ${IS_LATE} and noted_at > ${since} and noted_at <= ${until} and ended_at > ${since} - ${TOO_LATE}
            and ${TOLD_OF_MANY}`
    case 'back':
      return sql`
        select device_uid, at from (
            select device_uid, started_at as at from presence_spans
              where ended_at is null and started_at > ${since} and started_at <= ${until}
            union all
            select device_uid, started_at from presence_spans
              where ended_at > ${since} and started_at > ${since} and started_at <= ${until}) arrived
          where at >= ${length} + (select ended_at from presence_spans before
            where before.device_uid = arrived.device_uid and before.started_at < at order by started_at desc limit 1)`
  }
}

/**
 * Time of the newest end or start that a rule may be about; null where there is none. Looks neither at causes nor at devices,
 * so that it costs one look into an index.
 * @param tenant column of its namespace; the system's connection sees all of them
 * @param length duration of the rule, as SQL
 */
export function newestOf(
  condition: Rule['condition'],
  tenant: RawBuilder<unknown>,
  length: RawBuilder<unknown>,
  { since, until }: Window,
): RawBuilder<Date | null> {
  const late = sql`(select max(noted_at) from presence_spans
    where tenant_id = ${tenant} and ${IS_LATE} and noted_at > ${since} and noted_at <= ${until})`
  switch (condition) {
    case 'offline':
      return sql`greatest(${late}, (select max(ended_at) from presence_spans
        where tenant_id = ${tenant} and ended_at > ${since} - ${length} and ended_at <= ${until} - ${length}))`
    case 'many-offline':
      return sql`greatest(${late}, (select max(ended_at) from presence_spans
        where tenant_id = ${tenant} and ended_at > ${since} - ${LATE} and ended_at <= ${until}))`
    case 'back':
      return sql`greatest(
        (select max(started_at) from presence_spans
          where tenant_id = ${tenant} and ended_at is null and started_at > ${since} and started_at <= ${until}),
        (select max(started_at) from presence_spans
          where tenant_id = ${tenant} and ended_at > ${since} and started_at > ${since} and started_at <= ${until}))`
  }
}

/**
 * Up to when a pass looks: a device that reconnects within the last seconds has not been away, and not every transaction of
 * them may be visible.
 */
export const UNTIL = sql<Date>`date_trunc('milliseconds', now()) - make_interval(secs => ${sql.lit(LIMITS.presence.reconnectSeconds)})`
