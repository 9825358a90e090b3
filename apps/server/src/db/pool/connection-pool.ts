// A pool whose connections all use one of the two roles. Invariants: a connection has its role before its first query,
// never returns to the pool inside a transaction, its loss never ends the process, nobody waits for a silent one, and none
// is used that leads to another server than the address does now (a primary that was replaced by its standby).
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
import { DatabaseUnresponsive, type Pulse, createPulse } from './pulse.ts'
import { TooManyQueries, createTenantShares } from './tenant-shares.ts'
import { type StatementNames, statementNames } from './statement-names.ts'
import { types } from '../types.ts'

/** Statement timeouts: a longer query is a defect and holds a connection that others wait for. Jobs may take longer. */
const STATEMENT_TIMEOUT = { people: '15s', jobs: '60s' }
/** Maximum of checkouts waiting for a connection; the pool serves a thousand queries a second. */
const MAX_WAITING = 5_000
/** Connections that a single namespace can never occupy. */
const CONNECTIONS_FOR_OTHERS = 3
const IDLE_IN_TRANSACTION_TIMEOUT = '60s'
/** Changes of one row are serialised, each taking milliseconds. */
const LOCK_TIMEOUT = '5s'
/** Time for which a checkout retries during a restart of PostgreSQL: sign-ins must fail within 2 s. */
const PATIENCE_MS = 1_500
/** Time limit of a connection that only probes for an answer. */
const PROBE_TIMEOUT_MS = 1_000
const RETRY_DELAY_MS = 100
/** Tells a server from the one that takes its place behind the same address. */
const SERVER = 'extract(epoch from pg_postmaster_start_time())::text as server'
/** SQLSTATE of a write to a standby. */
const READ_ONLY = '25006'

/** Transient errors: the server is restarting, or the address temporarily has no listener. */
const TRANSIENT = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', '57P01', '57P02', '57P03'])

/** A checked-out connection. */
export interface Connection {
  /** @throws {DatabaseUnresponsive} when PostgreSQL has stopped answering; the connection is not used again */
  query<R extends QueryResultRow>(statement: string | QueryConfig): Promise<QueryResult<R>>
  /** Status reported with the last answer; `I`: not in a transaction. */
  getTransactionStatus(): string | null
  /** @param broken the connection must not be used again */
  giveBack(broken: boolean): void
}

export interface ConnectionPool {
  /**
   * Calls the listener when the address leads to another server, or to one that has restarted; before the first statement
   * there.
   */
  onReplaced(listener: () => void): void
  /** Names of the prepared statements of its connections. */
  readonly names: StatementNames
  /**
   * Checks out a connection in the pool's role.
   * @param tenant set on the connection for row-level security; undefined for the system role, whose policies do not
   *   use it
   * @throws {DatabaseUnresponsive} when PostgreSQL has stopped answering
   * @throws {TooManyQueries} when too many checkouts are waiting
   */
  checkOut(tenant: TenantId | undefined): Promise<Connection>
  close(): Promise<void>
}

/**
 * @param role role of every connection; the owner must be able to assume it
 * @param size maximum number of connections
 * @param run of the process that connects, by which others find its connections in pg_stat_activity
 */
export function openPool(owner: OwnerConnection, role: string, size: number, log: Log, run: string): ConnectionPool {
  /** {@link SERVER} that the address led to last; '' before the first answer. */
  let current = ''
  const servers = new WeakMap<object, string>()
  const isReplaced = (client: object): boolean => current !== '' && servers.get(client) !== current
  const listeners: (() => void)[] = []
  function leadsTo(server: string): void {
    const before = current
    current = server
    if (before !== '' && before !== server) for (const tell of listeners) tell()
  }
  const pool = new Pool({
    ...clientConfig(owner, `${role} ${run}`),
    types,
    max: size,
    // A cached plan serves all namespaces but is made for the one at hand: a large one would get a sequential scan.
    // Every table of namespaces has an index that starts with the namespace. Before PostgreSQL 18 a scan that cannot be
    // avoided then counts as so costly that each such statement is compiled first (jit), for hundreds of milliseconds.
    onConnect: async (client) => {
      const { rows } = await client.query<{ server: string }>(
        `select ${SERVER}, set_config('role', $1, false), set_config('search_path', 'public', false),
                set_config('statement_timeout', $2, false),
                set_config('idle_in_transaction_session_timeout', $3, false), set_config('lock_timeout', $4, false),
                set_config('enable_seqscan', $5, false), set_config('jit', 'off', false),
                set_config('application_name', $6, false)`,
        [
          role,
          role === APP_ROLE ? STATEMENT_TIMEOUT.people : STATEMENT_TIMEOUT.jobs,
          IDLE_IN_TRANSACTION_TIMEOUT,
          LOCK_TIMEOUT,
          role === APP_ROLE ? 'off' : 'on',
          // Again: a name in the URL of the settings, or one that a pooler extends, would hide the run.
          `${role} ${run}`,
        ],
      )
      leadsTo(rows[0]?.server ?? '')
      servers.set(client, current)
    },
  })
  let closing = false
  pool.on('error', (error) => {
    if (!closing) log.warn('database.error', { role, error: error.message })
  })
  // The pool has no listener on a checked-out connection; its loss is reported by the next query on it.
  pool.on('connect', (client) => client.on('error', () => undefined))

  const shares = createTenantShares(Math.max(1, size - CONNECTIONS_FOR_OTHERS))
  const pulse = createPulse(async () => {
    const server = await askServer(owner, role)
    if (server) leadsTo(server)
    return server !== undefined
  })

  async function checkOutOnce(tenant: TenantId | undefined): Promise<Connection> {
    if (pool.waitingCount >= MAX_WAITING) throw new TooManyQueries()
    const connecting = pool.connect()
    const before = current
    let client: PoolClient
    try {
      client = await pulse.watch(connecting, () => before !== '' && before !== current)
    } catch (error) {
      // Releases a connection that arrives after the caller has given up.
      if (error instanceof DatabaseUnresponsive)
        connecting.then(
          (late) => late.release(),
          () => undefined,
        )
      throw error
    }
    if (isReplaced(client)) {
      client.release(true)
      return checkOutOnce(tenant)
    }
    const connection = watched(client, pulse, isReplaced)
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
    onReplaced: (listener) => void listeners.push(listener),
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

function watched(client: PoolClient, pulse: Pulse, isReplaced: (client: object) => boolean): Connection {
  let silent: DatabaseUnresponsive | undefined
  let isReadOnly = false
  return {
    async query<R extends QueryResultRow>(statement: string | QueryConfig): Promise<QueryResult<R>> {
      // Queries queued behind an unanswered one would not be answered either.
      if (silent) throw silent
      try {
        return await pulse.watch(client.query<R>(statement), () => isReplaced(client))
      } catch (error) {
        if (error instanceof DatabaseUnresponsive) silent = error
        else if (error instanceof DatabaseError && error.code === READ_ONLY) isReadOnly = true
        throw error
      }
    },
    getTransactionStatus: () => client.getTransactionStatus(),
    giveBack(broken) {
      client.release(broken || isReadOnly || silent !== undefined || client.getTransactionStatus() !== 'I')
    },
  }
}

/**
 * Asks a fresh connection which server answers.
 * @returns its start; '' when it answers with a refusal; undefined when nothing does
 */
async function askServer(owner: OwnerConnection, role: string): Promise<string | undefined> {
  const limits = { connectionTimeoutMillis: PROBE_TIMEOUT_MS, query_timeout: PROBE_TIMEOUT_MS }
  const client = new Client({ ...clientConfig(owner, role), ...limits })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const { rows } = await client.query<{ server: string }>(`select ${SERVER}`)
    return rows[0]?.server ?? ''
  } catch (error) {
    return error instanceof DatabaseError ? '' : undefined
  } finally {
    client.end().catch(() => undefined)
  }
}

/** Set for the session, so that it applies in and outside transactions; every checkout overwrites it. */
const SET_TENANT = { name: 'set-tenant', text: "select set_config('bowline.tenant', $1, false)" }

/** A checkout fails before any query of the caller, so that a retry cannot repeat one. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('code' in error && typeof error.code === 'string') return TRANSIENT.has(error.code)
  return error.message.startsWith('Connection terminated')
}
