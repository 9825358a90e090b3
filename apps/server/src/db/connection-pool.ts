// A pool whose every connection works as one of the two roles. Invariants: a connection is in its role before its first
// query, never goes back inside a transaction, and losing one never ends the process.
import type { TenantId } from '@bowline/contract/schemas/common'
import { setTimeout as sleep } from 'node:timers/promises'
import { Pool, type PoolClient } from 'pg'
import type { Log } from '../platform/log.ts'
import { clientConfig, type OwnerConnection } from './owner-session.ts'
import { type StatementNames, statementNames } from './statement-names.ts'
import { types } from './types.ts'

/** A query that runs longer is wrong; it would hold a connection that others wait for. */
const STATEMENT_TIMEOUT = '60s'
const IDLE_IN_TRANSACTION_TIMEOUT = '60s'
/** How long a checkout rides out a restart of PostgreSQL before it fails. */
const PATIENCE_MS = 5_000
const RETRY_DELAY_MS = 100

/** Codes of errors that say "not now": the server is restarting, or the address has no listener for the moment. */
const TRANSIENT = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', '57P01', '57P02', '57P03'])

export interface ConnectionPool {
  /** Of the prepared statements of its connections. */
  readonly names: StatementNames
  /**
   * A connection in the pool's role. Give it back with {@link giveBack}.
   * @param tenant is set on the connection for row-level security; undefined for the system role, whose policies do not
   * ask for it
   */
  checkOut(tenant: TenantId | undefined): Promise<PoolClient>
  /** @param broken the connection must not be used again */
  giveBack(client: PoolClient, broken: boolean): void
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
    onConnect: async (client) => {
      await client.query(
        `select set_config('role', $1, false), set_config('search_path', 'public', false),
                set_config('statement_timeout', $2, false),
                set_config('idle_in_transaction_session_timeout', $3, false)`,
        [role, STATEMENT_TIMEOUT, IDLE_IN_TRANSACTION_TIMEOUT],
      )
    },
  })
  let closing = false
  pool.on('error', (error) => {
    if (!closing) log.warn('database.error', { role, error: error.message })
  })
  // A checked-out connection has no listener of the pool; its loss is reported by the query that needed it.
  pool.on('connect', (client) => client.on('error', () => undefined))

  async function checkOutOnce(tenant: TenantId | undefined): Promise<PoolClient> {
    const client = await pool.connect()
    try {
      if (tenant !== undefined) await client.query({ ...SET_TENANT, values: [tenant] })
      return client
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  return {
    names: statementNames(),
    async checkOut(tenant) {
      const deadline = performance.now() + PATIENCE_MS
      for (;;) {
        try {
          return await checkOutOnce(tenant)
        } catch (error) {
          if (!isTransient(error) || performance.now() >= deadline) throw error
          await sleep(RETRY_DELAY_MS)
        }
      }
    },
    giveBack(client, broken) {
      client.release(broken || client.getTransactionStatus() !== 'I')
    },
    async close() {
      closing = true
      await pool.end()
    },
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
