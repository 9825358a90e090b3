// The certificate that proves a name by tls-alpn-01 (RFC 8737 section 3): self-signed, for that name alone, with the
// hash of the proof in an extension.
import { createHash, webcrypto } from 'node:crypto'
import type { TlsMaterial } from '../../platform/network/certificate.ts'
import { loadX509, pemOf } from '../acme/request.ts'

const ACME_IDENTIFIER = '1.3.6.1.5.5.7.1.31'
const OCTET_STRING = 4
const DAY_MS = 86_400_000

/** @param answer token and thumbprint. @param now milliseconds since the epoch */
export async function alpnCertificate(name: string, answer: string, now: number): Promise<TlsMaterial> {
  const x509 = await loadX509()
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const hash = createHash('sha256').update(answer).digest()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=ACME challenge',
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(now - DAY_MS),
    notAfter: new Date(now + DAY_MS),
    extensions: [
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: name }]),
      new x509.Extension(ACME_IDENTIFIER, true, Buffer.concat([Buffer.of(OCTET_STRING, hash.length), hash])),
    ],
  })
  return { cert: certificate.toString('pem'), key: await pemOf(keys.privateKey) }
}
