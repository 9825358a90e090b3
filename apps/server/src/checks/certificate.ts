// The certificate of the HTTP listener.
import { X509Certificate, createPrivateKey } from 'node:crypto'
import { isIP } from 'node:net'
import type { ServerConfig } from '../config.ts'
import type { TlsMaterial } from '../platform/network/certificate.ts'
import { isLoopback } from '../platform/network/address.ts'
import { type Finding, finding, reason } from './finding.ts'

const DAY_MS = 86_400_000
/** ACME certificates are renewed a month before they expire. */
const SOON_DAYS = 14
const CHECK = 'certificate'

/** @param now milliseconds since the epoch */
export async function checkCertificate({ settings, tls, acme }: ServerConfig, now: number): Promise<Finding[]> {
  if (acme) {
    const { host } = new URL(acme.directory)
    return [finding(CHECK, 'ok', `The authority ${host} issues it; “bowline certificate” shows its state.`)]
  }
  if (tls) return judge(tls, settings.BOWLINE_DOMAIN, settings.BOWLINE_TLS_CERT_FILE === undefined, now)
  if (settings.BOWLINE_TRUSTED_PROXIES.length > 0) {
    return [finding(CHECK, 'ok', 'None is needed: the proxies of BOWLINE_TRUSTED_PROXIES terminate TLS.')]
  }
  if (isLoopback(settings.BOWLINE_HOST)) {
    return [finding(CHECK, 'ok', 'None is needed: only this machine can connect.')]
  }
  return [finding(CHECK, 'ok', 'The server will generate its own at the first start; agents pin it, browsers warn.')]
}

function judge({ cert, key }: TlsMaterial, domain: string | undefined, isOwn: boolean, now: number): Finding[] {
  const renew = isOwn
    ? 'Remove tls.crt and tls.key of the data folder to get a new one; agents need its new pin.'
    : 'Put a valid one into BOWLINE_TLS_CERT_FILE and BOWLINE_TLS_KEY_FILE.'
  let certificate: X509Certificate
  try {
    certificate = new X509Certificate(cert)
    if (!certificate.checkPrivateKey(createPrivateKey(key))) {
      return [finding(CHECK, 'fail', 'The private key belongs to another certificate.', renew)]
    }
  } catch (error) {
    return [finding(CHECK, 'fail', `Certificate or private key cannot be read: ${reason(error)}`, renew)]
  }
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)]
  const end = new Date(to).toISOString().slice(0, 10)
  if (from > now) return [finding(CHECK, 'fail', `It is valid from ${new Date(from).toISOString()} only.`, renew)]
  if (to <= now) return [finding(CHECK, 'fail', `It expired on ${end}.`, renew)]
  const matches = domain === undefined || (isIP(domain) ? certificate.checkIP(domain) : certificate.checkHost(domain))
  if (matches === undefined) {
    const names = certificate.subjectAltName ?? certificate.subject
    return [finding(CHECK, isOwn ? 'warn' : 'fail', `It is not for BOWLINE_DOMAIN ${domain}, but for ${names}.`, renew)]
  }
  if (to - now < SOON_DAYS * DAY_MS) return [finding(CHECK, 'warn', `It expires on ${end}.`, renew)]
  return [finding(CHECK, 'ok', `It is valid until ${end}${domain === undefined ? '' : `, and for ${domain}`}.`)]
}
