// Requirements on every table, read from PostgreSQL's catalogue so that later migrations cannot miss them.
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testDatabase, type TestDatabase } from '../testing/database.ts'

let test: TestDatabase
beforeAll(async () => {
  test = await testDatabase()
})
afterAll(() => test.close())

async function rows<T>(query: ReturnType<typeof sql<T>>): Promise<T[]> {
  return [...(await query.execute(test.database.system())).rows]
}

const TABLES_WITH_A_TENANT = sql`select c.oid from pg_class c join pg_attribute a on a.attrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attname = 'tenant_id'`

/**
 * Tables whose rows stay visible while their namespace is deleted and can be restored: nobody gets in by them, and jobs
 * and ending sessions still write them. A new table is hidden unless it is listed here.
 */
const VISIBLE_WHILE_CLOSED = [
  'audit_log',
  'billing_accounts',
  'closed_namespaces',
  'device_health',
  'device_health_points',
  'dropped_guesses',
  'presence_spans',
  'recording_ledger',
  'recording_passages',
  'recordings',
  'repeated_refusals',
  'row_counts',
  'session_events',
  'sessions',
]

describe('tables with a tenant_id', () => {
  it('enables and forces row-level security on every table with a tenant_id', async () => {
    const tables = await rows(
      sql<{ name: string; enabled: boolean; forced: boolean }>`select relname as name, relrowsecurity as enabled,
        relforcerowsecurity as forced from pg_class where oid in (${TABLES_WITH_A_TENANT}) order by 1`,
    )
    expect(tables.map(({ name }) => name)).toEqual([
      'access_requests',
      'agent_rollouts',
      'agent_states',
      'agent_update_policies',
      'alert_deliveries',
      'alert_rules',
      'alert_states',
      'api_keys',
      'audit_log',
      'audit_streams',
      'billing_accounts',
      'closed_namespaces',
      'connectors',
      'device_favorites',
      'device_health',
      'device_health_points',
      'device_job_items',
      'device_jobs',
      'devices',
      'dropped_guesses',
      'factor_windows',
      'firewall_rules',
      'group_roles',
      'held_logins',
      'install_keys',
      'key_logins_under_way',
      'left_members',
      'login_keys',
      'member_roles',
      'members',
      'namespace_exports',
      'namespace_limits',
      'namespace_roles',
      'namespaces',
      'presence_spans',
      'provided_members',
      'public_keys',
      'recording_ledger',
      'recording_passages',
      'recordings',
      'removed_devices',
      'repeated_refusals',
      'row_counts',
      'saved_views',
      'scim_group_people',
      'scim_groups',
      'scim_people',
      'scim_requests',
      'scim_roles',
      'scim_settings',
      'scim_tokens',
      'session_events',
      'sessions',
      'shared_snippets',
      'tag_rule_devices',
      'tag_rules',
      'tunnels',
      'user_authorities',
    ])
    expect(tables.filter(({ enabled, forced }) => !enabled || !forced)).toEqual([])
  })

  it('gives every table with a tenant_id exactly the policies of isolate_by_tenant', async () => {
    const policies = await rows(
      sql<{ name: string; policies: string[] }>`select c.relname as name,
          array_agg(format('%s to %s: %s / %s', p.polname, (select string_agg(rolname, ',') from pg_roles where oid = any(p.polroles)),
            pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)) order by p.polname) as policies
        from pg_class c left join pg_policy p on p.polrelid = c.oid
        where c.oid in (${TABLES_WITH_A_TENANT}) group by 1`,
    )
    const own = "(tenant_id = (current_setting('bowline.tenant'::text))::uuid)"
    const plain = ['every_namespace to bowline_system: true / true', `own_namespace to bowline_app: ${own} / ${own}`]
    const tenant = "(current_setting('bowline.tenant'::text))::uuid"
    const shown = "(current_setting('bowline.closed'::text, true) = 'shown'::text)"
    const open = `(NOT (EXISTS ( SELECT FROM closed_namespaces WHERE (closed_namespaces.tenant_id = ${tenant}))))`
    const openRow = (name: string) =>
      `(NOT (EXISTS ( SELECT FROM closed_namespaces WHERE (closed_namespaces.tenant_id = ${name}.tenant_id))))`
    const hiding = (name: string) => [
      // The index of names could not be used with a condition.
      `every_namespace to bowline_system: ${name === 'devices' ? 'true' : `(${shown} OR ${openRow(name)})`} / true`,
      `own_namespace to bowline_app: (${own} AND (${shown} OR ${open})) / ${own}`,
    ]
    // Triggers write the counts as the owner; bowline_app has no privilege to (below).
    const alsoOf = (name: string): string[] => (name === 'row_counts' ? ['written_by_triggers to : / true'] : [])
    const expected = (name: string) => [
      ...(VISIBLE_WHILE_CLOSED.includes(name) ? plain : hiding(name)),
      ...alsoOf(name),
    ]
    const spaced = policies.map(({ name, policies: found }) => ({
      name,
      policies: found.map((policy) => policy.replaceAll(/\s+/g, ' ')),
    }))
    expect(spaced).toEqual(policies.map(({ name }) => ({ name, policies: expected(name) })))
  })

  it('lets the tenant role only read row_counts', async () => {
    const rights = await rows(
      sql<{ what: string }>`select what from unnest('{select,insert,update,delete}'::text[]) as what
        where has_table_privilege('bowline_app', 'row_counts', what)`,
    )
    expect(rights.map(({ what }) => what)).toEqual(['select'])
  })
})

it('gives the tenant role no privilege on tables without a tenant_id', async () => {
  const open = await rows(
    sql<{ name: string }>`select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm')
        and oid not in (${TABLES_WITH_A_TENANT})
        and has_table_privilege('bowline_app', oid, 'select, insert, update, delete, truncate, references, trigger')`,
  )
  expect(open).toEqual([])
})

it('denies the working roles to truncate, create or own anything', async () => {
  const rights = await rows(
    sql<{ what: string }>`
      select relname as what from pg_class, unnest('{bowline_app,bowline_system}'::text[]) as role
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
          and (has_table_privilege(role, oid, 'truncate, trigger, references') or pg_get_userbyid(relowner) = role)
      union all
      select role from unnest('{bowline_app,bowline_system}'::text[]) as role
        where has_schema_privilege(role, 'public', 'create') or has_database_privilege(role, current_database(), 'create')`,
  )
  expect(rights).toEqual([])
})

it('backs every foreign key with an index on its columns, so that deletes avoid full scans', async () => {
  const missing = await rows(
    sql<{ name: string }>`select conname as name from pg_constraint k
      where contype = 'f' and connamespace = 'public'::regnamespace and not exists (
        select from pg_index i where i.indrelid = k.conrelid
          and ((i.indkey::smallint[])[0:cardinality(k.conkey) - 1] @> k.conkey or i.indkey[0] = any(k.conkey)))`,
  )
  expect(missing).toEqual([])
})

it('names every constraint explicitly, not table_column_key', async () => {
  const unnamed = await rows(
    sql<{ name: string }>`select conname as name from pg_constraint
      where connamespace = 'public'::regnamespace and contype <> 'n' and conname ~ '_(key|pkey|fkey|check)[0-9]*$'`,
  )
  expect(unnamed).toEqual([])
})

describe('schema.ts', () => {
  interface Column {
    readonly name: string
    readonly nullable: boolean
    readonly hasDefault: boolean
  }

  /** Columns declared in schema.ts, one per line, with `| null` and `Generated` where they apply. */
  async function declared(): Promise<Record<string, Column[]>> {
    const files = [
      'schema.ts',
      ...(await readdir(join(import.meta.dirname, 'tables'))).map((name) => join('tables', name)),
    ]
    const texts = await Promise.all(files.map((file) => readFile(join(import.meta.dirname, file), 'utf8')))
    const source = texts.join('\n')
    const interfaces = new Map(
      [...source.matchAll(/^export interface (\w+)(?:\s+extends\s[\w,\s]+)? \{\n([^]*?)^\}/gm)].map(
        ([, name = '', body = '']) => [name, body],
      ),
    )
    // Schema extends interfaces of tables that have files of their own.
    const [, parents = ''] = /^export interface Schema\s+extends\s+([\w,\s]+) \{/m.exec(source) ?? []
    const listed = ['Schema', ...parents.split(/,\s*/)].map((name) => interfaces.get(name) ?? '').join('')
    const tables = [...listed.matchAll(/^ {2}(\w+): (\w+)$/gm)]
    const columnsOf = (body: string): Column[] =>
      [...body.matchAll(/^ {2}(\w+): (.+)$/gm)].map(([, name = '', type = '']) => ({
        name,
        nullable: /\| null\b/.test(type),
        hasDefault: /^Generated(Always)?</.test(type),
      }))
    return Object.fromEntries(tables.map(([, table = '', type = '']) => [table, columnsOf(interfaces.get(type) ?? '')]))
  }

  it('declares the tables and columns of the migrations, with their nulls and defaults', async () => {
    const inDatabase = await rows(
      sql<Column & { table: string }>`select c.relname as table, a.attname as name, not a.attnotnull as nullable,
          a.atthasdef or a.attidentity <> '' as "hasDefault"
        from pg_class c join pg_attribute a on a.attrelid = c.oid
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
          and c.relname <> 'schema_migrations'`,
    )
    const line = ({ name, nullable, hasDefault }: Column, table: string) =>
      `${table}.${name}${nullable ? ' null' : ''}${hasDefault ? ' default' : ''}`
    const lines = Object.entries(await declared()).flatMap(([table, columns]) => columns.map((one) => line(one, table)))
    expect(lines.sort()).toEqual(inDatabase.map((column) => line(column, column.table)).sort())
  })
})
