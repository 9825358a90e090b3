// Heads of ledgers: kept on another machine, a head tells later whether the ledger was cut or made anew.
import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import type { Log } from '../../platform/log.ts'
import { findHead, listHeads } from './store.ts'

export { findHead as readHead, listHeads as readHeads }

/** Writes into the log what heads have changed since the last time, so that whatever ships the log carries them off. */
export function createHeadLog(system: Kysely<Schema>, log: Log): () => Promise<void> {
  const told = new Map<string, number>()
  return async () => {
    for (const { tenant_id: tenant, sequence, hash } of await listHeads(system)) {
      if (told.get(tenant) === sequence) continue
      log.info('recording.ledger-head', { tenant, sequence, hash })
      told.set(tenant, sequence)
    }
  }
}
