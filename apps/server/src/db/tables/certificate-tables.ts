// Kysely types of the tables of certificates: a part of schema.ts, with its rules.
import type { CertificateUse } from '@bowline/contract/operations/instance'
import type { Generated } from 'kysely'

export interface AcmeAccountsTable {
  directory: string
  email: string
  /** Private key (PEM), sealed under the name `acme-account:<directory>`. */
  sealed: Buffer
  /** Address of the account at the authority; null until it is registered. */
  url: string | null
  created_at: Date
}

export interface AcmeCertificatesTable {
  use: CertificateUse
  directory: string
  names: readonly string[]
  /** PEM. */
  chain: string | null
  /** Private key (PEM), sealed under the name `acme-certificate:<use>`. */
  sealed: Buffer | null
  issued_names: Generated<readonly string[]>
  issued_at: Date | null
  due_at: Date
  ask_at: Date
  failures: Generated<number>
  failure: Generated<string>
  failed_at: Date | null
  leased_by: string | null
  leased_until: Date | null
}

export interface AcmeChallengesTable {
  kind: 'http-01' | 'tls-alpn-01'
  token: string
  name: string
  answer: string
  expires_at: Date
}

export interface CertificateWarningsTable {
  /** SHA-256 of the certificate, 32 bytes. */
  fingerprint: Buffer
  /** Days before its end: the last warning so far. */
  days: number
  ends_at: Date
}

export interface CertificateTables {
  certificate_warnings: CertificateWarningsTable
  acme_accounts: AcmeAccountsTable
  acme_certificates: AcmeCertificatesTable
  acme_challenges: AcmeChallengesTable
}
