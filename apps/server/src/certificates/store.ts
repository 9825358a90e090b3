// SQL of certificates by ACME: accounts, certificates with their leases, and proofs. System rows; no tenant sees them.
import type { CertificateUse } from '@bowline/contract/operations/instance'
import { type Kysely, type Selectable, sql } from 'kysely'
import type { AcmeCertificatesTable, AcmeChallengesTable } from '../db/tables/certificate-tables.ts'
import type { Schema } from '../db/schema.ts'

type Db = Kysely<Schema>
export type CertificateRow = Selectable<AcmeCertificatesTable>

/** Stores the account unless another node has. @returns the account in effect */
export async function putAccount(
  db: Db,
  account: { readonly directory: string; readonly email: string; readonly sealed: Buffer; readonly at: Date },
) {
  const { at, ...values } = account
  await db
    .insertInto('acme_accounts')
    .values({ ...values, created_at: at })
    .onConflict((conflict) => conflict.columns(['directory', 'email']).doNothing())
    .execute()
  return findAccount(db, account)
}

export function findAccount(db: Db, { directory, email }: { readonly directory: string; readonly email: string }) {
  return db
    .selectFrom('acme_accounts')
    .select(['sealed', 'url'])
    .where('directory', '=', directory)
    .where('email', '=', email)
    .executeTakeFirst()
}

/** Notes the account's address at the authority; null when the authority does not know it any more. */
export async function setAccountUrl(
  db: Db,
  { directory, email, url }: { readonly directory: string; readonly email: string; readonly url: string | null },
): Promise<void> {
  await db
    .updateTable('acme_accounts')
    .set({ url })
    .where('directory', '=', directory)
    .where('email', '=', email)
    .execute()
}

/** Makes a certificate wanted; one that was wanted otherwise before is due at once, and its failures count no more. */
export async function want(
  db: Db,
  wanted: {
    readonly use: CertificateUse
    readonly names: readonly string[]
    readonly directory: string
    readonly now: Date
  },
): Promise<void> {
  const { use, names, directory, now } = wanted
  await db
    .insertInto('acme_certificates')
    .values({ use, names, directory, due_at: now, ask_at: now })
    .onConflict((conflict) =>
      conflict
        .column('use')
        .doUpdateSet({ names, directory, due_at: now, ask_at: now, failures: 0, failure: '', failed_at: null })
        .where((where) =>
          where.or([
            where('acme_certificates.names', '<>', sql<string[]>`${names}::text[]`),
            where('acme_certificates.directory', '<>', directory),
          ]),
        ),
    )
    .execute()
}

export function findCertificates(db: Db): Promise<CertificateRow[]> {
  return db.selectFrom('acme_certificates').selectAll().orderBy('use').execute()
}

/**
 * Takes the lease of a certificate that is due. Of several nodes one gets it.
 * @returns undefined if it is not due, or another node holds it
 */
export function lease(
  db: Db,
  holder: { readonly use: CertificateUse; readonly node: string; readonly now: Date; readonly until: Date },
): Promise<CertificateRow | undefined> {
  return db
    .updateTable('acme_certificates')
    .set({ leased_by: holder.node, leased_until: holder.until })
    .where('use', '=', holder.use)
    .where('due_at', '<=', holder.now)
    .where((where) => where.or([where('leased_until', 'is', null), where('leased_until', '<', holder.now)]))
    .returningAll()
    .executeTakeFirst()
}

const FREE = { leased_by: null, leased_until: null }

/** Ends the leases of an earlier life of this node. */
export async function releaseLeases(db: Db, node: string): Promise<void> {
  await db.updateTable('acme_certificates').set(FREE).where('leased_by', '=', node).execute()
}

/** Stores what was issued. @returns false if the node has lost its lease */
export async function putIssued(
  db: Db,
  issued: {
    readonly use: CertificateUse
    readonly node: string
    readonly names: readonly string[]
    readonly chain: string
    readonly sealed: Buffer
    readonly now: Date
    readonly dueAt: Date
    readonly askAt: Date
  },
): Promise<boolean> {
  const { use, node, names, chain, sealed, now, dueAt, askAt } = issued
  const values = { chain, sealed, issued_names: names, issued_at: now, due_at: dueAt, ask_at: askAt }
  const result = await db
    .updateTable('acme_certificates')
    .set({ ...FREE, ...values, failures: 0, failure: '', failed_at: null })
    .where('use', '=', use)
    .where('leased_by', '=', node)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Notes a failed attempt; what there is stays. */
export async function putFailure(
  db: Db,
  failed: {
    readonly use: CertificateUse
    readonly node: string
    readonly failure: string
    readonly now: Date
    readonly dueAt: Date
  },
): Promise<void> {
  await db
    .updateTable('acme_certificates')
    .set((set) => ({
      ...FREE,
      failures: set('failures', '+', 1),
      failure: failed.failure,
      failed_at: failed.now,
      due_at: failed.dueAt,
    }))
    .where('use', '=', failed.use)
    .where('leased_by', '=', failed.node)
    .execute()
}

/** Makes certificates due. @returns the uses of those that there are */
export async function makeDue(db: Db, wanted: readonly CertificateUse[], now: Date): Promise<CertificateUse[]> {
  const due = db.updateTable('acme_certificates').set({ due_at: now }).where('use', 'in', wanted)
  const rows = await due.returning('use').execute()
  return rows.map(({ use }) => use).sort()
}

/** Claims the next question about the time of the renewal. @returns false if another node has */
export async function claimQuestion(
  db: Db,
  { use, now, next }: { readonly use: CertificateUse; readonly now: Date; readonly next: Date },
): Promise<boolean> {
  const result = await db
    .updateTable('acme_certificates')
    .set({ ask_at: next })
    .where('use', '=', use)
    .where('ask_at', '<=', now)
    .where('chain', 'is not', null)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Sets the time of the renewal of a chain that is still in use, unless a new one is due already or has failed. */
export async function setRenewal(
  db: Db,
  renewal: {
    readonly use: CertificateUse
    readonly chain: string
    readonly now: Date
    readonly dueAt: Date
    readonly askAt: Date
  },
): Promise<void> {
  await db
    .updateTable('acme_certificates')
    .set({ due_at: renewal.dueAt, ask_at: renewal.askAt })
    .where('use', '=', renewal.use)
    .where('chain', '=', renewal.chain)
    .where('failures', '=', 0)
    .where('due_at', '>', renewal.now)
    .execute()
}

/** Makes a proof visible to all nodes, and drops those of orders that have died. */
export async function putChallenge(db: Db, challenge: AcmeChallengesTable, now: Date): Promise<void> {
  await db.deleteFrom('acme_challenges').where('expires_at', '<', now).execute()
  await db
    .insertInto('acme_challenges')
    .values(challenge)
    .onConflict((conflict) =>
      conflict
        .columns(['kind', 'token'])
        .doUpdateSet({ name: challenge.name, answer: challenge.answer, expires_at: challenge.expires_at }),
    )
    .execute()
}

export async function removeChallenge(db: Db, kind: AcmeChallengesTable['kind'], token: string): Promise<void> {
  await db.deleteFrom('acme_challenges').where('kind', '=', kind).where('token', '=', token).execute()
}

/** Key authorization of a token, for a name with a pending order. */
export async function findHttpAnswer(db: Db, token: string, name: string, now: Date): Promise<string | undefined> {
  const row = await underWay(db, 'http-01', name, now).where('token', '=', token).executeTakeFirst()
  return row?.answer
}

/** Key authorization of a name with a pending order. */
export async function findTlsAnswer(db: Db, name: string, now: Date): Promise<string | undefined> {
  const row = await underWay(db, 'tls-alpn-01', name, now).orderBy('expires_at', 'desc').executeTakeFirst()
  return row?.answer
}

function underWay(db: Db, kind: AcmeChallengesTable['kind'], name: string, now: Date) {
  return db
    .selectFrom('acme_challenges')
    .select('answer')
    .where('kind', '=', kind)
    .where('name', '=', name)
    .where('expires_at', '>', now)
}
