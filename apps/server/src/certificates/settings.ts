// Settings of ACME as the rest of the server uses them.
import { X509Certificate } from 'node:crypto'
import { access, constants, readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { ConfigError, type ServerSettings } from '@bowline/contract/config'
import type { CertificateUse } from '@bowline/contract/operations/instance'
import type { AcmeChallenge } from '@bowline/contract/settings/acme-challenge'

export interface WantedCertificate {
  readonly use: CertificateUse
  /** In lower case. */
  readonly names: readonly string[]
  readonly challenge: AcmeChallenge
}

/** An account that an authority knows its customer by (RFC 8555 section 7.3.4). */
export interface ExternalAccount {
  readonly kid: string
  /** MAC key, in base64url. */
  readonly key: string
}

export interface AcmeSettings {
  readonly email: string
  /** Account at the authority that the ACME account is bound to; undefined without one. */
  readonly external: ExternalAccount | undefined
  readonly directory: string
  /** PEM certificates that the directory is verified by; undefined: public authorities. */
  readonly ca: string | undefined
  readonly challenge: AcmeChallenge
  /** Port of challenges and redirects; undefined without. */
  readonly httpPort: number | undefined
  /** Absolute path of the program that changes DNS. */
  readonly hook: string | undefined
  readonly wanted: readonly WantedCertificate[]
}

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/

/**
 * @returns undefined without BOWLINE_ACME_EMAIL
 * @throws {ConfigError} naming settings that contradict each other or files that cannot be used
 */
export async function readAcmeSettings(settings: ServerSettings): Promise<AcmeSettings | undefined> {
  const { BOWLINE_ACME_EMAIL: email, BOWLINE_ACME_CHALLENGE: challenge, BOWLINE_ACME_DNS_HOOK: hook } = settings
  const domain = settings.BOWLINE_DOMAIN?.toLowerCase()
  const tunnels = settings.BOWLINE_TUNNELS_DOMAIN?.replace(/\.$/, '').toLowerCase()
  const { BOWLINE_ACME_EAB_KID: kid, BOWLINE_ACME_EAB_HMAC_KEY: key } = settings
  if ((kid === undefined) !== (key === undefined)) {
    refuse('BOWLINE_ACME_EAB_KID and BOWLINE_ACME_EAB_HMAC_KEY need each other.')
  }
  if (email === undefined) {
    if (kid !== undefined) refuse('BOWLINE_ACME_EAB_KID needs BOWLINE_ACME_EMAIL.')
    if (hook !== undefined) refuse('BOWLINE_ACME_DNS_HOOK needs BOWLINE_ACME_EMAIL.')
    return undefined
  }
  if (domain === undefined) refuse('BOWLINE_ACME_EMAIL needs BOWLINE_DOMAIN, the name that the certificate is for.')
  if (isIP(domain) || !HOST_NAME.test(domain)) {
    refuse(`BOWLINE_DOMAIN: ${domain} is no name that an authority issues a certificate for.`)
  }
  if (settings.BOWLINE_TLS_CERT_FILE !== undefined) {
    refuse('BOWLINE_ACME_EMAIL and BOWLINE_TLS_CERT_FILE exclude each other.')
  }
  if (settings.BOWLINE_TRUSTED_PROXIES.length > 0) {
    refuse('BOWLINE_ACME_EMAIL and BOWLINE_TRUSTED_PROXIES exclude each other: the proxies terminate TLS.')
  }
  if (hook === undefined && challenge === 'dns-01') refuse('BOWLINE_ACME_CHALLENGE=dns-01 needs BOWLINE_ACME_DNS_HOOK.')
  if (hook !== undefined) await requireProgram(hook)
  const wildcard = hook !== undefined && tunnels !== undefined
  if (wildcard && !HOST_NAME.test(tunnels)) {
    refuse(`BOWLINE_TUNNELS_DOMAIN: ${tunnels} is no name that an authority issues a certificate for.`)
  }
  return {
    email,
    external: kid === undefined || key === undefined ? undefined : { kid, key },
    directory: settings.BOWLINE_ACME_DIRECTORY,
    ca: await readCa(settings.BOWLINE_ACME_CA_FILE),
    challenge,
    httpPort: challenge === 'http-01' ? settings.BOWLINE_ACME_HTTP_PORT : undefined,
    hook,
    wanted: [
      { use: 'console', names: [domain], challenge },
      ...(wildcard ? [{ use: 'tunnels', names: [`*.${tunnels}`], challenge: 'dns-01' } as const] : []),
    ],
  }
}

async function requireProgram(path: string): Promise<void> {
  await access(path, constants.X_OK).catch((error: unknown) =>
    refuse(`BOWLINE_ACME_DNS_HOOK: ${path} cannot be run (${String((error as NodeJS.ErrnoException).code)}).`),
  )
}

async function readCa(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  const text = await readFile(file, 'utf8').catch((error: unknown) =>
    refuse(`BOWLINE_ACME_CA_FILE: ${file} cannot be read (${String((error as NodeJS.ErrnoException).code)}).`),
  )
  try {
    void new X509Certificate(text)
  } catch {
    refuse(`BOWLINE_ACME_CA_FILE: ${file} has no PEM certificate.`)
  }
  return text
}

/** @throws {ConfigError} always */
function refuse(problem: string): never {
  throw new ConfigError([problem])
}
