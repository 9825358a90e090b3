// Kysely on a ConnectionPool: one dialect object per tenant (or for the system role), all sharing the pool. Invariant:
// a Kysely instance gets connections only by a checkout with its own tenant.
import type { TenantId } from '@bowline/contract/schemas/common'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import { DatabaseError, type QueryResult as PgResult, type QueryResultRow } from 'pg'
import type { Connection, ConnectionPool } from './connection-pool.ts'
import { traced } from '../../platform/tracing/spans.ts'
import type { StatementNames } from './statement-names.ts'
import { summaryOf } from './summary.ts'

/** @param tenant see {@link ConnectionPool.checkOut} */
export function poolDialect(pool: ConnectionPool, tenant: TenantId | undefined): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PoolDriver(pool, tenant),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

const CHANGES_ROWS = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])
/** "cached plan must not change result type" and "prepared statement does not exist". */
const STALE_PLAN = new Set(['0A000', '26000'])
const SAVEPOINT_NAME = /^[a-z_][a-z0-9_]{0,62}$/i

class PoolConnection implements DatabaseConnection {
  readonly client: Connection
  broken = false
  readonly #names: StatementNames

  constructor(client: Connection, names: StatementNames) {
    this.client = client
    this.#names = names
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await traced(
      'db.query',
      () => summaryOf(query.sql),
      () => this.#run<R & QueryResultRow>(query),
    )
    if (CHANGES_ROWS.has(command)) return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
    return { rows }
  }

  async #run<R extends QueryResultRow>(query: CompiledQuery): Promise<PgResult<R>> {
    const statement = { text: query.sql, values: [...query.parameters] }
    const name = this.#names.nameOf(query.sql)
    if (name === undefined) return this.client.query<R>(statement)
    try {
      return await this.client.query<R>({ name, ...statement })
    } catch (error) {
      if (!(error instanceof DatabaseError && STALE_PLAN.has(error.code ?? ''))) throw error
      // A newer server has migrated the table of a cached plan. The failed statement had no effect; outside a
      // transaction it can be repeated without a name, and the connection is not used afterwards.
      this.broken = true
      if (this.client.getTransactionStatus() !== 'I') throw error
      return this.client.query<R>(statement)
    }
  }

  // oxlint-disable-next-line require-yield -- Kysely's interface asks for it; nothing here streams
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not offered; page through the rows by key.')
  }
}

class PoolDriver implements Driver {
  readonly #pool: ConnectionPool
  readonly #tenant: TenantId | undefined

  constructor(pool: ConnectionPool, tenant: TenantId | undefined) {
    this.#pool = pool
    this.#tenant = tenant
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PoolConnection> {
    return new PoolConnection(await this.#pool.checkOut(this.#tenant), this.#pool.names)
  }

  async releaseConnection(connection: PoolConnection): Promise<void> {
    connection.client.giveBack(connection.broken)
  }

  async beginTransaction(connection: PoolConnection, settings: TransactionSettings): Promise<void> {
    const words = ['start transaction']
    if (settings.isolationLevel) words.push(`isolation level ${settings.isolationLevel}`)
    if (settings.accessMode) words.push(settings.accessMode)
    await connection.client.query(words.join(' '))
  }

  async commitTransaction(connection: PoolConnection): Promise<void> {
    const { command } = await connection.client.query('commit')
    // PostgreSQL answers a commit of a failed transaction with ROLLBACK instead of an error.
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back because a statement in it had failed.')
  }

  async rollbackTransaction(connection: PoolConnection): Promise<void> {
    try {
      await connection.client.query('rollback')
    } catch (error) {
      connection.broken = true
      throw error
    }
  }

  async savepoint(connection: PoolConnection, name: string): Promise<void> {
    await connection.client.query(`savepoint ${savepointName(name)}`)
  }

  async rollbackToSavepoint(connection: PoolConnection, name: string): Promise<void> {
    await connection.client.query(`rollback to savepoint ${savepointName(name)}`)
  }

  async releaseSavepoint(connection: PoolConnection, name: string): Promise<void> {
    await connection.client.query(`release savepoint ${savepointName(name)}`)
  }

  /** The pool is shared and owned by `Database`. */
  async destroy(): Promise<void> {}
}

function savepointName(name: string): string {
  if (!SAVEPOINT_NAME.test(name)) throw new Error('A savepoint name is a letter followed by letters, digits and _.')
  return name
}
