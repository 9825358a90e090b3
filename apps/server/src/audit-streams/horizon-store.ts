// SQL that tells up to where the audit log is complete. Ids are given before transactions commit, so that an entry may appear
// below others that have been read. A writer locks the table before it gets an id and until its transaction ends: once all
// that held this lock have ended, nothing more appears up to the newest id that was seen before.
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'

export class Horizon {
  #complete = 0
  /** The newest id when it was looked for, and the transactions that might still add some below it. */
  #waiting: { readonly newest: number; readonly writers: readonly string[] } | undefined
  readonly #system: Kysely<Schema>

  constructor(system: Kysely<Schema>) {
    this.#system = system
  }

  /** @returns the id up to which no entry will appear any more */
  async read(): Promise<number> {
    // Two statements, in this order: a writer below the id holds its lock, or has ended.
    this.#waiting ??= { newest: await this.#newest(), writers: [] }
    const { newest, writers: earlier } = this.#waiting
    const now = await this.#writers()
    const writers = earlier.length === 0 ? now : now.filter((writer) => earlier.includes(writer))
    this.#waiting = writers.length === 0 ? undefined : { newest, writers }
    if (writers.length === 0) this.#complete = newest
    return this.#complete
  }

  async #newest(): Promise<number> {
    const { rows } = await sql<{ id: number }>`select coalesce(max(id), 0) as id from audit_log`.execute(this.#system)
    return rows[0]?.id ?? 0
  }

  async #writers(): Promise<string[]> {
    const { rows } = await sql<{ writer: string }>`
      select distinct virtualtransaction as writer from pg_locks
        where locktype = 'relation' and relation = 'audit_log'::regclass and mode = 'RowExclusiveLock'
          and database = (select oid from pg_database where datname = current_database())`.execute(this.#system)
    return rows.map(({ writer }) => writer)
  }
}
