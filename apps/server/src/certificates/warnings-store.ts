// SQL of the warnings about certificates that end. System rows.
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'

export interface CertificateWarning {
  /** SHA-256 of the certificate, 32 bytes. */
  readonly fingerprint: Buffer
  /** Days before the end. */
  readonly days: number
  readonly endsAt: Date
}

/** Notes a warning: of concurrent calls one does. @returns false when this one or a later one has been noted */
export async function noteWarning(
  db: Kysely<Schema>,
  { fingerprint, days, endsAt: ends_at }: CertificateWarning,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('certificate_warnings')
    .values({ fingerprint, days, ends_at })
    .onConflict((conflict) =>
      conflict.column('fingerprint').doUpdateSet({ days }).where('certificate_warnings.days', '>', days),
    )
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

/** Forgets warnings about what has ended. */
export async function forgetWarnings(db: Kysely<Schema>, now: Date): Promise<void> {
  await db.deleteFrom('certificate_warnings').where('ends_at', '<', now).execute()
}
