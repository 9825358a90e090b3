// Pending rows that strangers create: codes of programs and of devices, sign-ins under way at a provider. Whoever asks
// for one needs no credential, so that neither the rows nor the work of counting them may take anything from others.
import { Semaphore } from '@bowline/base/semaphore'
import type { Clock } from '@bowline/base/clock'
import { fail } from '@bowline/contract/errors'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { networkKey, sourceKey } from '../platform/network/address.ts'
import { type Most, type WaitingTable, isFull, lockWaiting, makeRoom } from './waiting-store.ts'

/** Callers that hold a connection of the database, and callers that wait for one; all others are refused. */
const CALLERS = { atOnce: 2, waiting: 50 }

export interface WaitingDeps {
  /** System connection. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
}

/** The rows of one table, with their limits. */
export class WaitingRoom {
  readonly #table: WaitingTable
  readonly #most: Most & { readonly minutes: number }
  readonly #callers: Semaphore

  /** @param most rows of a source, of a network and of all; `minutes`: life of a row */
  constructor(table: WaitingTable, most: Most & { readonly minutes: number }, callers = CALLERS) {
    this.#table = table
    this.#most = most
    this.#callers = new Semaphore(callers.atOnce, callers.waiting)
  }

  /**
   * Adds a row. Networks take turns; a source or network with too many is refused, and when all together are too many, the
   * largest makes room.
   * @param address where the caller is
   * @param insert inserts a row of the table with the source given, in the transaction given
   * @returns what `insert` resolves with
   * @throws {BowlineError} TOO_MANY_REQUESTS
   */
  async add<T>(
    { db, clock }: WaitingDeps,
    address: string,
    insert: (db: Kysely<Schema>, source: string) => Promise<T>,
  ): Promise<T> {
    const source = sourceKey(address)
    const isRefused = (inner: Kysely<Schema>): Promise<boolean> =>
      isFull(inner, this.#table, { source, now: new Date(clock.now()) }, this.#most)
    const add = async (): Promise<{ readonly added: T } | 'full'> => {
      // Before the lock: whoever has too many must not make others wait.
      if (await isRefused(db)) return 'full'
      return db.transaction().execute(async (inner) => {
        await lockWaiting(inner, this.#table)
        if (await isRefused(inner)) return 'full'
        // Before the row is there: it is never the one that goes.
        await makeRoom(inner, this.#table, new Date(clock.now()), this.#most.total)
        return { added: await insert(inner, source) }
      })
    }
    const outcome = await this.#callers.run(add, networkKey(address))
    if (outcome === undefined) return fail('TOO_MANY_REQUESTS', { seconds: 1 })
    return outcome === 'full' ? fail('TOO_MANY_REQUESTS', { seconds: this.#most.minutes * 60 }) : outcome.added
  }
}
