// What a certificate says of itself.
import { X509Certificate } from 'node:crypto'
import type { Life } from './schedule.ts'

/** @param chain PEM, the certificate first */
export function lifeOf(chain: string): Life {
  const { validFromDate, validToDate } = new X509Certificate(chain)
  return { from: validFromDate.getTime(), to: validToDate.getTime() }
}

/** Facts that people see. */
export function factsOf(chain: string) {
  const { issuer, fingerprint256, validFromDate, validToDate, subjectAltName = '' } = new X509Certificate(chain)
  return {
    issuer: issuer.split('\n').join(', '),
    starts_at: validFromDate.toISOString(),
    ends_at: validToDate.toISOString(),
    fingerprint: fingerprint256.replaceAll(':', '').toLowerCase(),
    names: subjectAltName.split(', ').map((name) => name.replace(/^(DNS|IP Address):/, '')),
  }
}
