// Searches commands and visible text of recordings.
import { fail } from '@bowline/contract/errors'
import type { DeviceUid, SessionUid, UserId } from '@bowline/contract/schemas/common'
import type { RecordingHit } from '@bowline/contract/schemas/recording'
import type { TenantContext } from '../context.ts'
import type { Listing } from '../db/lists/listing.ts'
import { findPassages } from './store.ts'
import { snippetOf } from './text/snippet.ts'
import { toQuery } from './text/words.ts'

/** Limit of hits that are counted and paged. */
export const MAX_HITS = 10_000

export interface SearchInput {
  readonly q: string
  readonly session?: SessionUid | undefined
  readonly device?: DeviceUid | undefined
  readonly person?: UserId | undefined
  /** ISO 8601. */
  readonly from?: string | undefined
  readonly to?: string | undefined
  readonly page: number
  readonly per_page: number
}

/**
 * Passages of the namespace's recordings with all words of `q`, most recent first; those of one session from its start on.
 * @throws {BowlineError} INVALID_INPUT when `q` has no word
 */
export async function searchRecordings(
  ctx: TenantContext,
  { q, page, per_page, ...sessions }: SearchInput,
): Promise<Listing<RecordingHit>> {
  const query = toQuery(q) ?? fail('INVALID_INPUT', { field: 'q', rule: 'must have a letter or a digit' }, ['q'])
  const offset = (page - 1) * per_page
  const limit = Math.max(0, Math.min(per_page, MAX_HITS - offset))
  const { rows, total } = await findPassages(ctx.db, { ...sessions, query, limit, offset, most: MAX_HITS })
  const items = rows.map((row): RecordingHit => ({
    session: row.session_uid,
    seat: row.seat,
    device_uid: row.device_uid,
    username: row.username,
    kind: row.kind,
    seconds: row.at_ms / 1_000,
    at: new Date(row.started_at.getTime() + row.at_ms).toISOString(),
    ...snippetOf(row.text, q),
  }))
  return { items, total }
}
