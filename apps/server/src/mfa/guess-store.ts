// SQL of the budget of guesses.
import type { UserId } from '@bowline/contract/schemas/common'
import { type Kysely, sql } from 'kysely'
import type { Schema } from '../db/schema.ts'

/** Subject that counts all guesses of a source. */
const ALL_SUBJECTS = Buffer.alloc(32)
/** Source that counts all guesses for a subject. */
const ALL_SOURCES = ''

export interface GuessKey {
  readonly scope: string
  /** 32 bytes. */
  readonly subject: Buffer
  readonly source: string
  /** Account with its known sources; '' for an unknown one: the same statement runs. */
  readonly user: UserId | ''
}

export interface GuessLimits {
  /** Guesses of one source for one subject. */
  readonly pair: number
  /** Guesses of one source for all subjects. */
  readonly source: number
  /** Guesses of all unknown sources for one subject. */
  readonly subject: number
}

/**
 * Counts a guess before it is checked, in one statement: concurrent guesses never pass in greater number than the
 * limits. A guess that one limit refuses does not count towards the next.
 * @param times.pairUntil end of a window of `pair` that begins now; `until` that of the others
 * @returns end of the window of the limit that refuses the guess; undefined when it may be checked
 */
export async function countGuess(
  db: Kysely<Schema>,
  { scope, subject, source, user }: GuessKey,
  limits: GuessLimits,
  { now, pairUntil, until }: { readonly now: Date; readonly pairUntil: Date; readonly until: Date },
): Promise<Date | undefined> {
  const counted = sql`on conflict (scope, subject, source) do update set
    guesses = case when factor_guesses.expires_at <= ${now} then 1 else factor_guesses.guesses + 1 end,
    expires_at = case when factor_guesses.expires_at <= ${now} then excluded.expires_at
      else factor_guesses.expires_at end
    returning guesses, expires_at`
  const { rows } = await sql<{ until: Date | null }>`
    with pair as (
      insert into factor_guesses (scope, subject, source, guesses, expires_at)
      values (${scope}, ${subject}, ${source}, 1, ${pairUntil}) ${counted}
    ), of_source as (
      insert into factor_guesses (scope, subject, source, guesses, expires_at)
      select ${scope}, ${ALL_SUBJECTS}::bytea, ${source}, 1, ${until}::timestamptz from pair
      where pair.guesses <= ${limits.pair} ${counted}
    ), of_subject as (
      insert into factor_guesses (scope, subject, source, guesses, expires_at)
      select ${scope}, ${subject}::bytea, ${ALL_SOURCES}, 1, ${until}::timestamptz from of_source
      where of_source.guesses <= ${limits.source} ${counted}
    )
    select max(expires_at) as until from (
      select expires_at from pair where guesses > ${limits.pair}
      union all select expires_at from of_source where guesses > ${limits.source}
      union all select expires_at from of_subject where guesses > ${limits.subject}
        and not exists (select from known_sources where user_id = ${user} and source = ${source})
    ) as refusing`.execute(db)
  return rows[0]?.until ?? undefined
}

/** Takes a right guess back: only wrong ones count. */
export async function refundGuess(db: Kysely<Schema>, { scope, subject, source }: GuessKey): Promise<void> {
  await db
    .deleteFrom('factor_guesses')
    .where('scope', '=', scope)
    .where('subject', '=', subject)
    .where('source', '=', source)
    .execute()
  await sql`update factor_guesses set guesses = greatest(guesses - 1, 0)
    where scope = ${scope} and ((subject = ${ALL_SUBJECTS} and source = ${source})
      or (subject = ${subject} and source = ${ALL_SOURCES}))`.execute(db)
}
