// Use cases of certificates: how they are, and a renewal that the operator asks for.
import { ConfigError } from '@bowline/contract/config'
import type { ServerCertificate, ServerCertificates } from '@bowline/contract/operations/instance'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { TlsMaterial } from '../platform/network/certificate.ts'
import { factsOf, lifeOf } from './life.ts'
import { stateOf } from './schedule.ts'
import type { AcmeSettings, WantedCertificate } from './settings.ts'
import { type CertificateRow, findCertificates, makeDue } from './store.ts'

export interface CertificateDeps {
  /** System connection. */
  readonly db: Kysely<Schema>
  readonly clock: Pick<Clock, 'now'>
  /** undefined: no authority issues certificates. */
  readonly acme: AcmeSettings | undefined
  /** The listener's certificate; undefined without TLS. With ACME the one that is shown until the first is issued. */
  readonly tls: TlsMaterial | undefined
  /** True if the listener's certificate is the operator's. */
  readonly isOperators: boolean
}

const UNATTENDED = { renews_at: null, renewing: false, failures: 0, failure: '', failed_at: null } as const
const MISSING = { issuer: '', starts_at: null, ends_at: null, fingerprint: '' } as const

/** Describes every certificate of the server; an empty list without TLS. */
export async function describe(deps: CertificateDeps): Promise<ServerCertificates> {
  const { acme } = deps
  if (!acme) {
    const certificates = deps.tls ? [describeFixed(deps, deps.tls)] : []
    return { acme: false, directory: '', email: '', challenge: null, certificates }
  }
  const rows = await findCertificates(deps.db)
  const certificates = acme.wanted.map((wanted) =>
    describeIssued(
      wanted,
      rows.find(({ use }) => use === wanted.use),
      deps.clock.now(),
    ),
  )
  const { directory, email, challenge } = acme
  return { acme: true, directory, email, challenge, certificates }
}

function describeFixed({ clock, isOperators }: CertificateDeps, { cert }: TlsMaterial): ServerCertificate {
  const state = stateOf(lifeOf(cert), clock.now())
  return { use: 'console', source: isOperators ? 'files' : 'self-signed', ...factsOf(cert), state, ...UNATTENDED }
}

function describeIssued(
  { use, names }: WantedCertificate,
  row: CertificateRow | undefined,
  now: number,
): ServerCertificate {
  const isIssued = row?.chain !== null && names.every((name) => row?.issued_names.includes(name))
  const chain = isIssued ? row?.chain : undefined
  return {
    use,
    source: 'acme',
    ...(chain ? factsOf(chain) : { ...MISSING, names: [...names] }),
    state: stateOf(chain ? lifeOf(chain) : undefined, now),
    renews_at: row?.due_at.toISOString() ?? null,
    renewing: (row?.leased_until?.getTime() ?? 0) > now,
    failures: row?.failures ?? 0,
    failure: row?.failure ?? '',
    failed_at: row?.failed_at?.toISOString() ?? null,
  }
}

/**
 * Makes the running server renew its certificates now, whatever their age and earlier failures.
 * @returns what is renewed
 * @throws {ConfigError} without ACME, or before a server with it has run
 */
export async function renewNow({ db, acme, clock }: Pick<CertificateDeps, 'db' | 'acme' | 'clock'>) {
  if (!acme) throw new ConfigError(['BOWLINE_ACME_EMAIL is not set: no authority issues the certificates.'])
  const wanted = acme.wanted.map(({ use }) => use)
  const uses = await makeDue(db, wanted, new Date(clock.now()))
  if (uses.length === 0) throw new ConfigError(['No server with BOWLINE_ACME_EMAIL has run on this database yet.'])
  return uses
}
