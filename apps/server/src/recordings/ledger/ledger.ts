// The ledger of recordings: one append-only chain of signed entries per namespace. It reveals a recording whose row and
// file were deleted.
import type { Kysely } from 'kysely'
import type { TenantContext } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import type { RecordingKey } from '../recording-key.ts'
import { type LedgerEvent, emptyHead, nextEntry } from './entry.ts'
import { findHead, insertEntries, lockKey, lockLedger } from './store.ts'

/** Limit of entries per transaction. */
const MAX_AT_ONCE = 100

/** The part of a context that writing to the ledger needs. */
export type LedgerContext = Pick<TenantContext, 'tenant' | 'db' | 'clock'>

export interface Ledger {
  /**
   * Adds an entry in a transaction of its own. Concurrent entries of a namespace share one, so that many sessions that
   * start at once wait for few commits and hold one connection.
   * @param write changes to commit together with the entry
   */
  append(ctx: LedgerContext, event: LedgerEvent, write?: (db: Kysely<Schema>) => Promise<void>): Promise<void>
  /** Adds an entry in the transaction of `ctx.db`. Must be its last statement. */
  appendIn(ctx: LedgerContext, event: LedgerEvent): Promise<void>
}

interface Waiting {
  readonly ctx: LedgerContext
  readonly event: LedgerEvent
  readonly write: (db: Kysely<Schema>) => Promise<void>
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

export function createLedger(keys: Pick<RecordingKey, 'published' | 'sign' | 'refresh'>): Ledger {
  /** By tenant; present while a worker processes it. */
  const queues = new Map<string, Waiting[]>()

  async function add({ tenant, db, clock }: LedgerContext, events: readonly LedgerEvent[]): Promise<void> {
    await lockKey(db, 'shared')
    await keys.refresh()
    const key = { id: keys.published.id, sign: keys.sign }
    await lockLedger(db, tenant)
    let head = (await findHead(db, tenant)) ?? emptyHead(tenant)
    const at = new Date(clock.now())
    const entries = events.map((event) => {
      const entry = nextEntry(tenant, head, event, at, key)
      head = entry
      return entry
    })
    await insertEntries(db, entries)
  }

  async function commit(batch: readonly [Waiting, ...Waiting[]]): Promise<void> {
    const [{ ctx }, ...others] = batch
    try {
      await ctx.db.transaction().execute(async (db) => {
        for (const { write } of batch) await write(db)
        await add(
          { ...ctx, db },
          batch.map(({ event }) => event),
        )
      })
      for (const { done } of batch) done()
    } catch (error) {
      if (others.length === 0) return batch[0].failed(error)
      // An invalid entry must not fail the others.
      for (const one of batch) await commit([one])
    }
  }

  async function work(tenant: string, queue: Waiting[]): Promise<void> {
    for (let [first, ...rest] = take(queue); first; [first, ...rest] = take(queue)) await commit([first, ...rest])
    queues.delete(tenant)
  }

  return {
    appendIn: (ctx, event) => add(ctx, [event]),
    append: (ctx, event, write = () => Promise.resolve()) =>
      new Promise((done, failed) => {
        const waiting = { ctx, event, write, done, failed }
        const queue = queues.get(ctx.tenant)
        if (queue) return void queue.push(waiting)
        const started = [waiting]
        queues.set(ctx.tenant, started)
        void work(ctx.tenant, started)
      }),
  }
}

const take = (queue: Waiting[]): Waiting[] => queue.splice(0, MAX_AT_ONCE)
