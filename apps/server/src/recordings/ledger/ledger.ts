// The ledger of recordings: one chain of signed entries for each namespace. Entries are only ever added, so that a
// recording whose row and file were taken away is missed.
import type { Kysely } from 'kysely'
import type { TenantContext } from '../../context.ts'
import type { Schema } from '../../db/schema.ts'
import type { RecordingKey } from '../recording-key.ts'
import { type Deed, emptyHead, nextEntry } from './entry.ts'
import { findHead, insertEntries, lockKey, lockLedger } from './store.ts'

/** Of one transaction. */
const MAX_AT_ONCE = 100

/** Enough of a context to write to the ledger. */
export type LedgerContext = Pick<TenantContext, 'tenant' | 'db' | 'clock'>

export interface Ledger {
  /**
   * Adds an entry in a transaction of its own. Entries of a namespace that come together share one, so that many sessions
   * that begin at once wait for few commits and hold one connection.
   * @param write what is to be true together with the entry
   */
  append(ctx: LedgerContext, deed: Deed, write?: (db: Kysely<Schema>) => Promise<void>): Promise<void>
  /** Adds an entry in the transaction of `ctx.db`. The last statement of that transaction. */
  appendIn(ctx: LedgerContext, deed: Deed): Promise<void>
}

interface Waiting {
  readonly ctx: LedgerContext
  readonly deed: Deed
  readonly write: (db: Kysely<Schema>) => Promise<void>
  readonly done: () => void
  readonly failed: (error: unknown) => void
}

export function createLedger(keys: Pick<RecordingKey, 'published' | 'sign' | 'refresh'>): Ledger {
  /** By tenant; an entry is there while somebody works on it. */
  const queues = new Map<string, Waiting[]>()

  async function add({ tenant, db, clock }: LedgerContext, deeds: readonly Deed[]): Promise<void> {
    await lockKey(db, 'shared')
    await keys.refresh()
    const key = { id: keys.published.id, sign: keys.sign }
    await lockLedger(db, tenant)
    let head = (await findHead(db, tenant)) ?? emptyHead(tenant)
    const at = new Date(clock.now())
    const entries = deeds.map((deed) => {
      const entry = nextEntry(tenant, head, deed, at, key)
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
          batch.map(({ deed }) => deed),
        )
      })
      for (const { done } of batch) done()
    } catch (error) {
      if (others.length === 0) return batch[0].failed(error)
      // What is wrong with one must not fail the others.
      for (const one of batch) await commit([one])
    }
  }

  async function work(tenant: string, queue: Waiting[]): Promise<void> {
    for (let [first, ...rest] = take(queue); first; [first, ...rest] = take(queue)) await commit([first, ...rest])
    queues.delete(tenant)
  }

  return {
    appendIn: (ctx, deed) => add(ctx, [deed]),
    append: (ctx, deed, write = () => Promise.resolve()) =>
      new Promise((done, failed) => {
        const waiting = { ctx, deed, write, done, failed }
        const queue = queues.get(ctx.tenant)
        if (queue) return void queue.push(waiting)
        const started = [waiting]
        queues.set(ctx.tenant, started)
        void work(ctx.tenant, started)
      }),
  }
}

const take = (queue: Waiting[]): Waiting[] => queue.splice(0, MAX_AT_ONCE)
