// SQL of firewall rules.
import {
  type Expression,
  type Insertable,
  type Kysely,
  type Selectable,
  type SqlBool,
  type Updateable,
  sql,
} from 'kysely'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import { countRows } from '../db/lists/count.ts'
import type { FirewallRulesTable, Schema } from '../db/schema.ts'
import type { FilterProperties } from '../db/lists/filter.ts'

export type RuleRow = Selectable<FirewallRulesTable>

export const RULE_PROPERTIES: FilterProperties = {
  action: { sql: sql.ref('firewall_rules.action'), type: 'text' },
  active: { sql: sql.ref('firewall_rules.active'), type: 'boolean' },
  priority: { sql: sql.ref('firewall_rules.priority'), type: 'number' },
  source_ip: { sql: sql.ref('firewall_rules.source_ip'), type: 'text' },
  source_networks: { sql: sql.ref('firewall_rules.source_networks'), type: 'text-array' },
  username: { sql: sql.ref('firewall_rules.username'), type: 'text' },
  people: { sql: sql.ref('firewall_rules.people'), type: 'text-array' },
  roles: { sql: sql.ref('firewall_rules.roles'), type: 'text-array' },
  hostname: { sql: sql.ref('firewall_rules.hostname'), type: 'text' },
  tags: { sql: sql.ref('firewall_rules.tags'), type: 'text-array' },
}

/** A page of rules by ascending priority, with the number of matches. */
export async function listRules(
  db: Kysely<Schema>,
  query: { where: Expression<SqlBool> | undefined; limit: number; offset: number },
): Promise<{ rows: RuleRow[]; total: number }> {
  let base = db.selectFrom('firewall_rules')
  if (query.where) base = base.where(query.where)
  const rows = await base
    .selectAll()
    .orderBy('priority')
    .orderBy('id')
    .limit(query.limit)
    .offset(query.offset)
    .execute()
  const count = await countRows(base)
  return { rows, total: count }
}

export function findRule(db: Kysely<Schema>, id: number): Promise<RuleRow | undefined> {
  return db.selectFrom('firewall_rules').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Locks a rule's row: concurrent changes of it are serialised. */
export function lockRule(db: Kysely<Schema>, id: number): Promise<RuleRow | undefined> {
  return db.selectFrom('firewall_rules').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

/** Locks all rules, in a fixed order to avoid deadlocks. */
export function lockRules(db: Kysely<Schema>): Promise<RuleRow[]> {
  return db.selectFrom('firewall_rules').selectAll().orderBy('id').forUpdate().execute()
}

/** Locks the rules that name a person, in a fixed order to avoid deadlocks. @param db may see other namespaces */
export function lockRulesAbout(db: Kysely<Schema>, tenant: TenantId, person: UserId): Promise<RuleRow[]> {
  return db
    .selectFrom('firewall_rules')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where(sql<boolean>`${person} = any(people)`)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Locks the rules whose filter has a tag, in a fixed order to avoid deadlocks. */
export function lockRulesWithTag(db: Kysely<Schema>, tag: string): Promise<RuleRow[]> {
  return db
    .selectFrom('firewall_rules')
    .selectAll()
    .where(sql<boolean>`${tag} = any(tags)`)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** @param priorities by id */
export async function setPriorities(db: Kysely<Schema>, priorities: ReadonlyMap<number, number>): Promise<void> {
  await sql`
    update firewall_rules set priority = wanted.priority
    from unnest(${[...priorities.keys()]}::integer[], ${[...priorities.values()]}::integer[]) as wanted (id, priority)
    where firewall_rules.id = wanted.id
  `.execute(db)
}

export function insertRule(db: Kysely<Schema>, rule: Insertable<FirewallRulesTable>): Promise<RuleRow> {
  return db.insertInto('firewall_rules').values(rule).returningAll().executeTakeFirstOrThrow()
}

export async function updateRule(
  db: Kysely<Schema>,
  id: number,
  values: Updateable<FirewallRulesTable>,
): Promise<void> {
  await db.updateTable('firewall_rules').set(values).where('id', '=', id).execute()
}

/** @returns the deleted rule; undefined when no such rule exists */
export function deleteRule(db: Kysely<Schema>, id: number): Promise<RuleRow | undefined> {
  return db.deleteFrom('firewall_rules').where('id', '=', id).returningAll().executeTakeFirst()
}

/** All rules, in no order. */
export function listEveryRule(db: Kysely<Schema>): Promise<RuleRow[]> {
  return db.selectFrom('firewall_rules').selectAll().execute()
}

/** Active rules. */
export function findActiveRules(db: Kysely<Schema>): Promise<RuleRow[]> {
  return db.selectFrom('firewall_rules').selectAll().where('active', '=', true).execute()
}

/** Patterns, networks and people of all rules. */
export function readPatterns(
  db: Kysely<Schema>,
): Promise<Pick<RuleRow, 'id' | 'source_ip' | 'source_networks' | 'username' | 'people' | 'hostname'>[]> {
  return db
    .selectFrom('firewall_rules')
    .select(['id', 'source_ip', 'source_networks', 'username', 'people', 'hostname'])
    .execute()
}
