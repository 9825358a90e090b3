// Heads of ledgers: kept on another machine, a head later reveals a truncated or rewritten ledger.
import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import type { Log } from '../../platform/log.ts'
import { findHead, listHeads } from './store.ts'

export { findHead as readHead, listHeads as readHeads }

/** Logs the heads that have changed since the last call, so that log shipping copies them off the machine. */
export function createHeadLog(system: Kysely<Schema>, log: Log): () => Promise<void> {
  const logged = new Map<string, number>()
  return async () => {
    for (const { tenant_id: tenant, sequence, hash } of await listHeads(system)) {
      if (logged.get(tenant) === sequence) continue
      log.info('recording.ledger-head', { tenant, sequence, hash })
      logged.set(tenant, sequence)
    }
  }
}
