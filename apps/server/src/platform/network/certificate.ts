// Self-signed certificate of a server that listens beyond loopback without one: kept in the data folder and pinned by
// the install command, so that agents and curl need to trust no other party.
import { X509Certificate, createHash, createPublicKey, webcrypto } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface TlsMaterial {
  /** PEM chain. */
  readonly cert: string
  /** PEM private key. */
  readonly key: string
}

const YEARS = 10

/**
 * The certificate of the data folder, made at first use.
 * @param folder absolute path; files are `tls.crt` and `tls.key` (0600)
 * @param names host names and addresses it is for
 */
export async function selfSignedCertificate(folder: string, names: readonly string[]): Promise<TlsMaterial> {
  const certFile = join(folder, 'tls.crt')
  const keyFile = join(folder, 'tls.key')
  const load = async () => ({ cert: await readFile(certFile, 'utf8'), key: await readFile(keyFile, 'utf8') })
  const found = await load().catch(() => undefined)
  if (found) return found
  const made = await makeCertificate(names)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(keyFile, made.key, { mode: 0o600 })
  await writeFile(certFile, made.cert)
  return made
}

/** `sha256//` and the base64 hash of the certificate's public key, as for `curl --pinnedpubkey`. */
export function publicKeyPin(cert: string): string {
  const spki = createPublicKey(new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'pem' })).export({
    type: 'spki',
    format: 'der',
  })
  return `sha256//${createHash('sha256').update(spki).digest('base64')}`
}

/** A self-signed certificate with a new key. @param names host names and addresses it is for */
export async function makeCertificate(names: readonly string[]): Promise<TlsMaterial> {
  // Loaded lazily: few starts need it. The library needs this polyfill first.
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  x509.cryptoProvider.set(webcrypto)
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const now = Date.now()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: 'CN=Bowline',
    keys,
    signingAlgorithm: algorithm,
    notBefore: new Date(now - 86_400_000),
    notAfter: new Date(now + YEARS * 365 * 86_400_000),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: /^[\d.]+$|:/.test(value) ? 'ip' : 'dns', value }) as const),
      ),
    ],
  })
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)).toString('base64')
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8.replaceAll(/.{64}/g, '$&\n')}\n-----END PRIVATE KEY-----\n`
  return { cert: `${certificate.toString('pem')}\n`, key }
}
