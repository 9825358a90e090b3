// Warnings before a certificate ends: a line in the log while one should have been renewed long since, or has expired, and
// mails to the administrators of the server.
import type { ServerCertificate } from '@bowline/contract/operations/instance'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { MailQueue } from '../mails/queue.ts'
import type { Log } from '../platform/log.ts'
import { listInstanceAdmins } from '../users/administrators.ts'
import { type CertificateDeps, describe } from './service.ts'
import { noteWarning } from './warnings-store.ts'

export { forgetWarnings, noteWarning } from './warnings-store.ts'

const DAY_MS = 86_400_000
/** Days before the end at which administrators are told, the last first. Others have been renewed by then. */
const WARNING_DAYS = [3, 14] as const

export interface WarningDeps extends CertificateDeps {
  readonly log: Log
  readonly mails: Pick<MailQueue, 'add' | 'link'>
}

/**
 * Writes a line for each certificate that ends soon, and mails the administrators 14 and 3 days before the end, once
 * each, whatever the number of nodes. The server's own self-signed certificate causes no mail.
 */
export async function warnOfEnds(deps: WarningDeps): Promise<void> {
  const { certificates } = await describe(deps)
  for (const certificate of certificates) {
    const { use, state, names, ends_at: ends, failure, source } = certificate
    if (state !== 'ending' && state !== 'expired') continue
    deps.log.warn('certificate.ending', { use, state, names, ends, failure })
    if (source !== 'self-signed') await mailOnce(deps, certificate)
  }
}

async function mailOnce(deps: WarningDeps, certificate: ServerCertificate): Promise<void> {
  const { fingerprint, ends_at: end } = certificate
  if (end === null) return
  const leftMs = Date.parse(end) - deps.clock.now()
  const days = WARNING_DAYS.find((limit) => leftMs <= limit * DAY_MS)
  if (days === undefined || leftMs <= 0) return
  await deps.db.transaction().execute(async (db) => {
    const warning = { fingerprint: Buffer.from(fingerprint, 'hex'), days, endsAt: new Date(end) }
    if (await noteWarning(db, warning)) await mailAll(deps, db, { ...certificate, end })
  })
}

async function mailAll(
  { mails }: WarningDeps,
  db: Kysely<Schema>,
  { names, source, failure, end }: ServerCertificate & { readonly end: string },
): Promise<void> {
  for (const { id, email, name } of await listInstanceAdmins(db)) {
    const about = { names: names.join(', '), renewed: source === 'acme', failure, end }
    const values = { name, ...about, link: mails.link('/instance/certificates') }
    await mails.add(db, { kind: 'server-certificate-ends', to: email, user: id, source: '', values })
  }
}
