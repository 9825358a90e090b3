// The archive of an account: what the server has about one person, as a tar stream with the invariants of archive.ts.
import type { Clock } from '@bowline/base/clock'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import { TAR_END } from '../db/backup/tar.ts'
import type { Schema } from '../db/schema.ts'
import { ACCOUNT_README } from './account-readme.ts'
import { NOT_OF_ACCOUNTS, accountTables } from './account-tables.ts'
import { archiveEntries, json } from './entries.ts'
import { leftOut, writeRows } from './rows.ts'
import { openSpool } from './spool.ts'

const FORMAT = 1

export interface AccountSource {
  /** System connection. */
  readonly system: Kysely<Schema>
  readonly clock: Pick<Clock, 'now'>
  readonly user: UserId
  readonly username: string
  /** Version of this server. */
  readonly version: string
  /** For temporary files, which are as large as all rows. */
  readonly folder: string
}

/**
 * The bytes of the archive.
 * @param counts numbers of rows by table, filled meanwhile
 * @throws {NoRoom} when the disk is full
 */
export async function* accountArchive(
  { system, clock, user, username, version, folder }: AccountSource,
  counts: Record<string, number>,
): AsyncGenerator<Uint8Array> {
  const startedAt = new Date(clock.now())
  const [rows, sums] = [await openSpool(folder), await openSpool(folder)]
  const entries = archiveEntries(sums, Math.floor(startedAt.getTime() / 1_000))
  const tables = accountTables(user)
  const stopping = new AbortController()
  let writing: Promise<void> | undefined
  try {
    yield await entries.whole('README.md', ACCOUNT_README)
    writing = writeRows(system, tables, { rows, counts, entries, stopping: stopping.signal })
    writing.catch(() => undefined)
    yield* rows.follow()
    await writing
    const manifest = {
      product: 'bowline',
      content: 'account',
      format: FORMAT,
      version,
      created_at: startedAt.toISOString(),
      account: { id: user, username },
      rows: counts,
      left_out: leftOut(tables, NOT_OF_ACCOUNTS),
    }
    yield await entries.whole('manifest.json', json(manifest))
    yield* entries.sums()
    yield TAR_END
  } finally {
    stopping.abort()
    await writing?.catch(() => undefined)
    await Promise.all([rows, sums].map((spool) => spool.close()))
  }
}
