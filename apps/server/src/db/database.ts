// The server's database: opened once, migrated, and accessed through two views. Invariant: `forTenant` is the only
// access to namespaced tables on anybody's behalf; `system` is for the callers listed in system-callers.test.ts.
import { randomUUID } from 'node:crypto'
import type { TenantId } from '@bowline/contract/schemas/common'
import { Kysely, sql } from 'kysely'
import type { Log } from '../platform/log.ts'
import { type ConnectionPool, openPool } from './pool/connection-pool.ts'
import { poolDialect } from './pool/dialect.ts'
import { migrate, MIGRATIONS_FOLDER, readMigrations } from './migrate.ts'
import { asOwner, type OwnerConnection } from './owner-session.ts'
import { refuseTransactionPooling } from './pool/pooler.ts'
import { APP_ROLE, ensureWorkingRoles, SYSTEM_ROLE } from './roles.ts'
import type { Schema } from './schema.ts'

/** For a heartbeat, the transaction that gives up another node, and the end of what that one had begun. */
const LEASE_CONNECTIONS = 3

export interface Database {
  /** A uuid in the `application_name` of its connections, after a space; see {@link endTransactionsOf}. */
  readonly run: string
  /**
   * View of one namespace's rows. Every checkout of a connection sets the tenant, in and outside transactions;
   * PostgreSQL hides and refuses all other rows. Cheap enough to call per request.
   */
  forTenant(tenant: TenantId): Kysely<Schema>
  /** View of all rows: sign-in, SSHID lookup, jobs. */
  system(): Kysely<Schema>
  /** The same over connections of its own: a node's lease must not wait for those that others wait with. */
  lease(): Kysely<Schema>
  /** Resolves when the database answers; rejects with the driver's error. */
  ping(): Promise<void>
  /**
   * Calls the listener when another server has taken the database's place, or it has restarted: a standby may lack what
   * was written last. It may be called twice.
   */
  onReplaced(listener: () => void): void
  /** Current time of the database in milliseconds since the epoch. */
  now(): Promise<number>
  /** Waits for the connections in use, then closes them all. */
  close(): Promise<void>
}

export interface DatabaseOptions {
  readonly owner: OwnerConnection
  /** Maximum number of connections in each of the two pools. */
  readonly poolSize: number
  readonly log: Log
}

/**
 * Checks the server, creates missing roles, migrates, and opens the pools.
 * @throws {DatabaseRefused} when the server, its login or its migrations are unsuitable; the message says what to
 *   change
 */
export async function openDatabase({ owner, poolSize, log }: DatabaseOptions): Promise<Database> {
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  await asOwner(owner, async (client, facts) => {
    await refuseTransactionPooling(owner, client)
    await ensureWorkingRoles(client, facts)
    const { applied, unknown } = await migrate(client, migrations)
    for (const { version, name } of applied) log.info('database.migrated', { version, name })
    const last = unknown.at(-1)
    if (last) log.warn('database.newer', { version: last.version, name: last.name, known: migrations.length })
  })
  const run = randomUUID()
  const tenants = openPool(owner, APP_ROLE, poolSize, log, run)
  const everything = openPool(owner, SYSTEM_ROLE, poolSize, log, run)
  const own = openPool(owner, SYSTEM_ROLE, LEASE_CONNECTIONS, log, run)
  const system = view(everything, undefined)
  const lease = view(own, undefined)
  return {
    run,
    forTenant: (tenant) => view(tenants, tenant),
    system: () => system,
    lease: () => lease,
    async ping() {
      await sql`select 1`.execute(system)
    },
    onReplaced(listener) {
      for (const pool of [tenants, everything]) pool.onReplaced(listener)
    },
    async now() {
      const { rows } = await sql<{
        ms: number
      }>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`.execute(system)
      return rows[0]?.ms ?? Number.NaN
    },
    async close() {
      await Promise.all([tenants.close(), everything.close(), own.close()])
    },
  }
}

/**
 * Opens the view of all rows of a database that has its roles and migrations already; checks and changes nothing.
 * @throws never: the first query reports what is wrong
 */
export function openSystemView(
  owner: OwnerConnection,
  log: Log,
): { readonly system: Kysely<Schema>; close(): Promise<void> } {
  const pool = openPool(owner, SYSTEM_ROLE, 1, log, randomUUID())
  return { system: view(pool, undefined), close: () => pool.close() }
}

function view(pool: ConnectionPool, tenant: TenantId | undefined): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: poolDialect(pool, tenant) })
}

/**
 * Ends what another process has under way, and with it its locks. Connections of its that do nothing stay.
 * @param run {@link Database.run} of that process
 */
export async function endTransactionsOf(system: Kysely<Schema>, run: string): Promise<void> {
  await system.transaction().execute(async (transaction) => {
    // Only the login itself may end its connections.
    await sql`set local role none`.execute(transaction)
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like ${`% ${run}`} and state <> 'idle'`.execute(
      transaction,
    )
  })
}
