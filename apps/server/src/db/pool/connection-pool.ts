// A pool whose every connection works as one of the two roles. Invariants: a connection is in its role before its first
// query, never goes back inside a transaction, losing one never ends the process, and nobody waits for one that is silent.
import { setTimeout as sleep } from 'node:timers/promises'
import type { TenantId } from '@bowline/contract/schemas/common'
import {
  Client,
  DatabaseError,
  Pool,
  type PoolClient,
  type QueryConfig,
  type QueryResult,
  type QueryResultRow,
} from 'pg'
import type { Log } from '../../platform/log.ts'
import { clientConfig, type OwnerConnection } from '../owner-session.ts'
import { APP_ROLE } from '../roles.ts'
import { DatabaseSilent, type Pulse, createPulse } from './pulse.ts'
import { TooManyQueries, createTenantShares } from './tenant-shares.ts'
import { type StatementNames, statementNames } from './statement-names.ts'
import { types } from '../types.ts'

/** A query that runs longer is wrong; it would hold a connection that others wait for. Jobs may take longer than people. */
const STATEMENT_TIMEOUT = { people: '15s', jobs: '60s' }
/** Checkouts that may wait for a connection; a thousand queries a second are served from here. */
const MAX_WAITING = 5_000
/** Of the pool: one namespace never has all of it. */
const CONNECTIONS_FOR_OTHERS = 3
const IDLE_IN_TRANSACTION_TIMEOUT = '60s'
/** Changes of one row happen one after the other, each in milliseconds. */
const LOCK_TIMEOUT = '5s'
/** How long a checkout rides out a restart of PostgreSQL before it fails: people who sign in are told within 2 s. */
const PATIENCE_MS = 1_500
/** For a connection that only asks whether somebody is there. */
const PROBE_TIMEOUT_MS = 1_000
const RETRY_DELAY_MS = 100

/** Codes of errors that say "not now": the server is restarting, or the address has no listener for the moment. */
const TRANSIENT = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', '57P01', '57P02', '57P03'])

/** A connection that has been checked out. */
export interface Connection {
  /** @throws {DatabaseSilent} when PostgreSQL has stopped answering; the connection is not used again */
  query<R extends QueryResultRow>(statement: string | QueryConfig): Promise<QueryResult<R>>
  /** As the last answer told it: `I`: in none. */
  getTransactionStatus(): string | null
  /** @param broken the connection must not be used again */
  giveBack(broken: boolean): void
}

export interface ConnectionPool {
  /** Of the prepared statements of its connections. */
  readonly names: StatementNames
  /**
   * A connection in the pool's role; give it back.
   * @param tenant is set on the connection for row-level security; undefined for the system role, whose policies do not
   * ask for it
   * @throws {DatabaseSilent} when PostgreSQL has stopped answering
   * @throws {TooManyQueries} when too many wait for a connection already
   */
  checkOut(tenant: TenantId | undefined): Promise<Connection>
  close(): Promise<void>
}

/**
 * @param role role of every connection; the owner must be able to become it
 * @param size most connections at once
 */
export function openPool(owner: OwnerConnection, role: string, size: number, log: Log): ConnectionPool {
  const pool = new Pool({
    ...clientConfig(owner, role),
    types,
    max: size,
    // A kept plan serves all namespaces, but is made for the one that came by when it was made: of a large one it would
    // be a scan of the whole table. Every table of namespaces has an index that starts with the namespace.
    onConnect: async (client) => {
      await client.query(
        `select set_config('role', $1, false), set_config('search_path', 'public', false),
                set_config('statement_timeout', $2, false),
                set_config('idle_in_transaction_session_timeout', $3, false), set_config('lock_timeout', $4, false),
                set_config('enable_seqscan', $5, false)`,
        [
          role,
          role === APP_ROLE ? STATEMENT_TIMEOUT.people : STATEMENT_TIMEOUT.jobs,
          IDLE_IN_TRANSACTION_TIMEOUT,
          LOCK_TIMEOUT,
          role === APP_ROLE ? 'off' : 'on',
        ],
      )
    },
  })
  let closing = false
  pool.on('error', (error) => {
    if (!closing) log.warn('database.error', { role, error: error.message })
  })
  // A checked-out connection has no listener of the pool; its loss is reported by the query that needed it.
  pool.on('connect', (client) => client.on('error', () => undefined))

  const shares = createTenantShares(Math.max(1, size - CONNECTIONS_FOR_OTHERS))
  const pulse = createPulse(() => isAnswered(owner, role))

  async function checkOutOnce(tenant: TenantId | undefined): Promise<Connection> {
    if (pool.waitingCount >= MAX_WAITING) throw new TooManyQueries()
    const connecting = pool.connect()
    let client: PoolClient
    try {
      client = await pulse.watch(connecting)
    } catch (error) {
      // Should it come after all, nobody waits for it any more.
      if (error instanceof DatabaseSilent)
        connecting.then(
          (late) => late.release(),
          () => undefined,
        )
      throw error
    }
    const connection = watched(client, pulse)
    try {
      if (tenant !== undefined) await connection.query({ ...SET_TENANT, values: [tenant] })
      return connection
    } catch (error) {
      connection.giveBack(true)
      throw error
    }
  }

  return {
    names: statementNames(),
    async checkOut(tenant) {
      if (tenant === undefined) return attempt(tenant)
      const release = await shares.take(tenant)
      try {
        const connection = await attempt(tenant)
        return {
          ...connection,
          giveBack(broken) {
            release()
            connection.giveBack(broken)
          },
        }
      } catch (error) {
        release()
        throw error
      }
    },
    async close() {
      closing = true
      await pool.end()
    },
  }

  async function attempt(tenant: TenantId | undefined): Promise<Connection> {
    const deadline = performance.now() + PATIENCE_MS
    for (;;) {
      try {
        return await checkOutOnce(tenant)
      } catch (error) {
        if (!isTransient(error) || performance.now() >= deadline) throw error
        await sleep(RETRY_DELAY_MS)
      }
    }
  }
}

function watched(client: PoolClient, pulse: Pulse): Connection {
  let silent: DatabaseSilent | undefined
  return {
    async query<R extends QueryResultRow>(statement: string | QueryConfig): Promise<QueryResult<R>> {
      // What would queue behind a query that is not answered is not answered either.
      if (silent) throw silent
      try {
        return await pulse.watch(client.query<R>(statement))
      } catch (error) {
        if (error instanceof DatabaseSilent) silent = error
        throw error
      }
    },
    getTransactionStatus: () => client.getTransactionStatus(),
    giveBack(broken) {
      client.release(broken || silent !== undefined || client.getTransactionStatus() !== 'I')
    },
  }
}

/** Whether a fresh connection gets an answer, be it a refusal. */
async function isAnswered(owner: OwnerConnection, role: string): Promise<boolean> {
  const client = new Client({ ...clientConfig(owner, role), connectionTimeoutMillis: PROBE_TIMEOUT_MS })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch (error) {
    return error instanceof DatabaseError
  } finally {
    client.end().catch(() => undefined)
  }
}

/** For the session, so that it holds in and outside transactions; every checkout overwrites it. */
const SET_TENANT = { name: 'set-tenant', text: "select set_config('bowline.tenant', $1, false)" }

/** No query of the caller has run when a checkout fails, so trying again cannot do anything twice. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string') return TRANSIENT.has(error.code)
  return error.message.startsWith('Connection terminated')
}
