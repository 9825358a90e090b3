// SQL of tag rules.
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import { type RULE_PROPERTIES } from '@bowline/contract/schemas/lists/tag-rule-query'
import { searchConditions } from '@bowline/contract/schemas/lists/device-search'
import { encodeFilter } from '@bowline/contract/schemas/lists/filter-text'
import {
  type Expression,
  type Insertable,
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  type Updateable,
  sql,
} from 'kysely'
import { countRows } from '../db/lists/count.ts'
import { type FilterProperty, compileFilter } from '../db/lists/filter.ts'
import type { Schema } from '../db/schema.ts'
import type { TagRulesTable } from '../db/tables/device-job-tables.ts'

type Db = Kysely<Schema>
export type TagRuleRow = Selectable<TagRulesTable>
type RuleSearch = Pick<TagRuleRow, 'query'>
export type TaggingRule = Pick<TagRuleRow, 'tag' | 'query' | 'active'>

/** Named as in lists of devices. `words` is what their search field looks at, without the tags. */
const PROPERTIES: Readonly<Record<(typeof RULE_PROPERTIES)[number], FilterProperty>> = {
  words: {
    sql: sql.ref('devices.rule_words'),
    type: 'text',
  },
  name: { sql: sql.ref('devices.name'), type: 'text' },
  'info.pretty_name': { sql: sql`devices.info->>'pretty_name'`, type: 'text' },
  'info.arch': { sql: sql`devices.info->>'arch'`, type: 'text' },
  'info.version': { sql: sql`devices.info->>'version'`, type: 'text' },
  remote_addr: { sql: sql.ref('devices.remote_addr'), type: 'text' },
  mac: { sql: sql.ref('devices.mac'), type: 'text' },
  note: { sql: sql.ref('devices.note'), type: 'text' },
}

const NEVER = sql<SqlBool>`false`
/** Rules tag these; what was rejected or removed keeps what it has. */
const TAGGED = ['accepted', 'pending'] as const

/** Whether a row of `devices` matches the search of a rule, whatever its status is. */
function matchOf({ query }: RuleSearch): Expression<SqlBool> {
  const text = encodeFilter([{ join: 'and', conditions: searchConditions(query) }])
  const matches = compileFilter(text, PROPERTIES, 'and') ?? NEVER
  return sql<SqlBool>`coalesce(${matches}, false)`
}

/** The condition of a rule on a row of `devices`. */
function conditionOf(rule: RuleSearch): Expression<SqlBool> {
  return sql<SqlBool>`(devices.status in (${sql.join(TAGGED)}) and ${matchOf(rule)})`
}

/** Tags of the rules that a row of `devices` matches. */
function wantedOf(rules: readonly TaggingRule[]): RawBuilder<string[]> {
  const cases = rules.map((rule) => sql`case when ${conditionOf(rule)} then ${rule.tag}::text end`)
  return cases.length ? sql<string[]>`array_remove(array[${sql.join(cases)}], null)` : sql<string[]>`'{}'::text[]`
}

export function readRules(db: Db): Promise<TagRuleRow[]> {
  return db.selectFrom('tag_rules').selectAll().orderBy('tag').orderBy('created_at').orderBy('id').execute()
}

export function lockRule(db: Db, id: string): Promise<TagRuleRow | undefined> {
  return db.selectFrom('tag_rules').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Locks the namespace's row: the rules of one are counted and changed in turn. */
export async function lockNamespace(db: Db): Promise<void> {
  await db.selectFrom('namespaces').select('tenant_id').forNoKeyUpdate().execute()
}

export function countRules(db: Db): Promise<number> {
  return countRows(db.selectFrom('tag_rules'))
}

/** @returns undefined when there is a rule for the same tag and search */
export function insertRule(db: Db, rule: Insertable<TagRulesTable>): Promise<TagRuleRow | undefined> {
  return db
    .insertInto('tag_rules')
    .values(rule)
    .onConflict((conflict) => conflict.constraint('tag_rule_is_there_once').doNothing())
    .returningAll()
    .executeTakeFirst()
}

export async function isThere(db: Db, tag: string, query: string, except: string): Promise<boolean> {
  const same = db.selectFrom('tag_rules').select('id').where('tag', '=', tag).where('query', '=', query)
  return (await same.where('id', '!=', except).executeTakeFirst()) !== undefined
}

export function updateRule(db: Db, id: string, values: Updateable<TagRulesTable>): Promise<TagRuleRow> {
  return db.updateTable('tag_rules').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

export async function deleteRule(db: Db, id: string): Promise<void> {
  await db.deleteFrom('tag_rules').where('id', '=', id).execute()
}

/** Has rules tried on every device. @returns how many */
export async function enqueueAll(db: Db): Promise<number> {
  // Before the rows of the queue, which refer to them: see lockDue.
  await sql`select count(*) from (select uid from devices order by uid for key share) as locked`.execute(db)
  const devices = db.selectFrom('devices').select(['tenant_id', 'uid']).orderBy('uid')
  await db
    .insertInto('tag_rule_devices')
    .columns(['tenant_id', 'device_uid'])
    .expression(devices)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return countWaiting(db)
}

export function countWaiting(db: Db): Promise<number> {
  return countRows(db.selectFrom('tag_rule_devices'))
}

/** Devices that match each rule, and those of them that have its tag, by its id. */
export async function countMatches(
  db: Db,
  rules: readonly TagRuleRow[],
): Promise<Map<string, { readonly matching: number; readonly tagged: number }>> {
  if (rules.length === 0) return new Map()
  // Each search is evaluated once for each device: 0 where it does not match, 2 where the device has the tag, else 1.
  const found = rules.map(
    (rule) =>
      sql`case when ${conditionOf(rule)} then case when ${rule.tag} = any(devices.tags) then 2 else 1 end else 0 end`,
  )
  const { rows } = await sql<{ rule: number; matching: number; tagged: number }>`
    select rule::int, count(*) filter (where found > 0)::int as matching, count(*) filter (where found = 2)::int as tagged
    from devices, unnest(array[${sql.join(found)}]) with ordinality as of_rule (found, rule)
    group by rule`.execute(db)
  const counts = new Map(rows.map(({ rule, matching, tagged }) => [rule - 1, { matching, tagged }]))
  return new Map(rules.map(({ id }, i) => [id, counts.get(i) ?? { matching: 0, tagged: 0 }]))
}

/** Names of the first devices that match. */
export async function firstMatches(db: Db, rule: RuleSearch, limit: number): Promise<string[]> {
  const first = db.selectFrom('devices').select('name').where(conditionOf(rule)).orderBy('name').orderBy('uid')
  return (await first.limit(limit).execute()).map(({ name }) => name)
}

export interface TaggedAlike {
  readonly tags: readonly string[]
  readonly rule_tags: readonly string[]
  /** Tags of the rules that they match, in the order of the rules. */
  readonly wanted: readonly string[]
  readonly matches: boolean
  readonly devices: number
}

/** Accepted and pending devices, counted by what decides about their tags, and by whether they match a search. */
export async function countAlike(
  db: Db,
  rules: readonly TaggingRule[],
  searched: RuleSearch,
): Promise<readonly TaggedAlike[]> {
  const { rows } = await sql<TaggedAlike>`
    select tags, rule_tags, wanted, matches, count(*)::int as devices
    from (
      select tags, rule_tags, ${wantedOf(rules)} as wanted, ${matchOf(searched)} as matches
      from devices where status in (${sql.join(TAGGED)})
    ) as tried
    group by tags, rule_tags, wanted, matches`.execute(db)
  return rows
}

/** Namespaces with devices that rules are to be tried on. */
export async function findDue(system: Db, limit: number): Promise<TenantId[]> {
  const rows = await system.selectFrom('tag_rule_devices').select('tenant_id').distinct().limit(limit).execute()
  return rows.map(({ tenant_id }) => tenant_id)
}

/**
 * Locks devices of the queue that nobody else has locked. The devices before their rows in the queue, as everything does that
 * changes or removes one: neither waits for the other.
 */
export async function lockDue(db: Db, limit: number): Promise<DeviceUid[]> {
  const rows = await db
    .selectFrom('devices')
    .select('uid')
    .where('uid', 'in', db.selectFrom('tag_rule_devices').select('device_uid').limit(limit))
    .forUpdate()
    .skipLocked()
    .execute()
  return rows.map(({ uid }) => uid)
}

export async function forgetDue(db: Db, uids: readonly DeviceUid[]): Promise<void> {
  await db.deleteFrom('tag_rule_devices').where('device_uid', 'in', uids).execute()
}

export interface DeviceToTag {
  readonly uid: DeviceUid
  readonly name: string
  readonly status: string
  readonly tags: readonly string[]
  readonly rule_tags: readonly string[]
  /** Tags of the rules that it matches, in the order of the rules. */
  readonly wanted: readonly string[]
}

/** Locks devices, and tells which tags the rules want them to have. */
export function lockDevices(db: Db, uids: readonly DeviceUid[], rules: readonly TagRuleRow[]): Promise<DeviceToTag[]> {
  return db
    .selectFrom('devices')
    .select(['uid', 'name', 'status', 'tags', 'rule_tags'])
    .select(wantedOf(rules).as('wanted'))
    .where('uid', 'in', uids)
    .orderBy('uid')
    .forUpdate()
    .execute()
}

/** Tags of the rules that a device matches, whatever its status is and however many tags it has. */
export async function findMatchingTags(db: Db, uid: DeviceUid, rules: readonly TagRuleRow[]): Promise<string[]> {
  if (rules.length === 0) return []
  const cases = rules.map((rule) => sql`case when ${matchOf(rule)} then ${rule.tag}::text end`)
  const row = await db
    .selectFrom('devices')
    .select(sql<string[]>`array_remove(array[${sql.join(cases)}], null)`.as('tags'))
    .where('uid', '=', uid)
    .executeTakeFirst()
  return row?.tags ?? []
}

export async function writeTags(
  db: Db,
  uid: DeviceUid,
  values: { readonly tags: readonly string[]; readonly rule_tags: readonly string[] },
): Promise<void> {
  await db.updateTable('devices').set(values).where('uid', '=', uid).execute()
}

/** Renames a tag in rules and among what they have given, or removes it there. */
export async function replaceRuleTag(db: Db, tag: string, to: string | undefined): Promise<void> {
  const replaced =
    to === undefined ? sql`array_remove(rule_tags, ${tag})` : sql`array_replace(rule_tags, ${tag}, ${to})`
  await sql`update devices set rule_tags = ${replaced} where ${tag} = any(rule_tags)`.execute(db)
}

export function lockRulesOfTag(db: Db, tag: string): Promise<TagRuleRow[]> {
  return db.selectFrom('tag_rules').selectAll().where('tag', '=', tag).orderBy('id').forUpdate().execute()
}
