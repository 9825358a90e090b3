// Certificates of the identity provider: how administrators see them, and mails before one ends.
import { X509Certificate } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { forgetWarnings, noteWarning } from '../certificates/warnings.ts'
import { listInstanceAdmins } from '../users/administrators.ts'
import type { SingleSignOnDeps } from './deps.ts'
import { findSettings } from './store.ts'

const DAY_MS = 86_400_000
/** Days before the end at which administrators are told, the last first. */
const WARNING_DAYS = [7, 30] as const

/** @param certificate base64 of the DER form */
export function describeCertificate(certificate: string) {
  const { subject, fingerprint256, validTo } = new X509Certificate(Buffer.from(certificate, 'base64'))
  return {
    certificate,
    subject,
    fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
    ends_at: new Date(validTo).toISOString(),
  }
}

type WarningDeps = Pick<SingleSignOnDeps, 'db' | 'clock' | 'mails'>

/**
 * Mails the administrators of the server 30 and 7 days before a certificate of the SAML provider ends, once each. A
 * certificate that is set later than that causes the last of the mails that are due.
 */
export async function warnOfCertificates(deps: WarningDeps): Promise<void> {
  const now = deps.clock.now()
  await forgetWarnings(deps.db, new Date(now))
  const { saml, certificates, entity_id: provider } = await findSettings(deps.db)
  if (!saml) return
  const described = certificates.map((certificate) => describeCertificate(certificate))
  const lastEnd =
    described
      .map(({ ends_at }) => ends_at)
      .toSorted()
      .at(-1) ?? ''
  for (const { subject, fingerprint, ends_at: end } of described) {
    const leftMs = Date.parse(end) - now
    const days = WARNING_DAYS.find((limit) => leftMs <= limit * DAY_MS)
    if (days === undefined || leftMs <= 0) continue
    const warning = { fingerprint: Buffer.from(fingerprint, 'hex'), days, endsAt: new Date(end) }
    await deps.db.transaction().execute(async (db) => {
      if (!(await noteWarning(db, warning))) return
      await mailAll(deps, db, { provider, subject, end, newer: lastEnd > end })
    })
  }
}

async function mailAll(
  { mails }: WarningDeps,
  db: Kysely<Schema>,
  about: { readonly provider: string; readonly subject: string; readonly end: string; readonly newer: boolean },
): Promise<void> {
  for (const { id, email, name } of await listInstanceAdmins(db)) {
    const values = { name, ...about, link: mails.link('/instance/sign-in') }
    await mails.add(db, { kind: 'certificate-ends', to: email, user: id, source: '', values })
  }
}
