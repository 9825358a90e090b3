// A line in the log while a certificate should have been renewed long since, or has expired.
import type { Log } from '../platform/log.ts'
import { type CertificateDeps, describe } from './service.ts'

/** Writes a line for each certificate that ends soon. */
export async function warnOfEnds(deps: CertificateDeps, log: Log): Promise<void> {
  const { certificates } = await describe(deps)
  for (const { use, state, names, ends_at: ends, failure } of certificates) {
    if (state === 'ending' || state === 'expired') log.warn('certificate.ending', { use, state, names, ends, failure })
  }
}
