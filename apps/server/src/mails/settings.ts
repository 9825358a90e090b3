// Reads the settings of mail and checks that they are complete.
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { ConfigError, type ServerSettings } from '@bowline/contract/config'

export type StartTlsMode = ServerSettings['BOWLINE_SMTP_STARTTLS']

/** A mail server and how to speak to it. */
export interface SmtpSettings {
  /** Host name or address, without brackets. */
  readonly host: string
  readonly port: number
  /** TLS from the first byte. */
  readonly implicitTls: boolean
  /** For connections without implicit TLS. */
  readonly startTls: StartTlsMode
  /** undefined: no authentication. */
  readonly credentials: { readonly user: string; readonly password: string } | undefined
  /** PEM certificates of a private authority; undefined: those that Node trusts. */
  readonly ca: string | undefined
  /** Name in EHLO. */
  readonly name: string
  readonly from: string
  readonly replyTo: string | undefined
}

const OPTIONAL = ['BOWLINE_SMTP_PASSWORD_FILE', 'BOWLINE_SMTP_REPLY_TO', 'BOWLINE_SMTP_CA_FILE', 'BOWLINE_SMTP_NAME']
const ALONE = [...OPTIONAL, 'BOWLINE_SMTP_FROM'] as readonly (keyof ServerSettings)[]

/**
 * @param origin of the console, from the settings
 * @returns undefined when no mail server is set
 * @throws {ConfigError} naming each setting that is missing or needs others
 */
export async function readMailSettings(
  settings: ServerSettings,
  origin: string | undefined,
): Promise<SmtpSettings | undefined> {
  const { BOWLINE_SMTP_URL: url, BOWLINE_SMTP_FROM: from, BOWLINE_SMTP_PASSWORD_FILE: passwordFile } = settings
  if (url === undefined) {
    const alone = ALONE.filter((name) => settings[name] !== undefined)
    if (alone.length > 0) throw new ConfigError(alone.map((name) => `${name} needs BOWLINE_SMTP_URL.`))
    return undefined
  }
  const place = parseSmtpUrl(url)
  const problems = [
    ...(origin === undefined
      ? ['BOWLINE_DOMAIN or BOWLINE_PUBLIC_URL is required together with BOWLINE_SMTP_URL: mails link to the console.']
      : []),
    ...(from === undefined ? ['BOWLINE_SMTP_FROM is required together with BOWLINE_SMTP_URL.'] : []),
    ...(passwordFile !== undefined && place.credentials === undefined
      ? ['BOWLINE_SMTP_PASSWORD_FILE needs a user in BOWLINE_SMTP_URL: smtp://user:@host.']
      : []),
    ...(passwordFile !== undefined && place.credentials && place.credentials.password !== ''
      ? ['BOWLINE_SMTP_PASSWORD_FILE and a password in BOWLINE_SMTP_URL exclude each other.']
      : []),
  ]
  if (origin === undefined || from === undefined || problems.length > 0) throw new ConfigError(problems)
  const password = passwordFile === undefined ? undefined : await readText('BOWLINE_SMTP_PASSWORD_FILE', passwordFile)
  const caFile = settings.BOWLINE_SMTP_CA_FILE
  const ca = caFile === undefined ? undefined : await readText('BOWLINE_SMTP_CA_FILE', caFile)
  if (ca !== undefined && !isCertificates(ca)) {
    throw new ConfigError([`BOWLINE_SMTP_CA_FILE: ${caFile} must hold PEM certificates.`])
  }
  const { credentials } = place
  return {
    ...place,
    credentials: credentials && { user: credentials.user, password: password ?? credentials.password },
    startTls: settings.BOWLINE_SMTP_STARTTLS,
    ca,
    name: settings.BOWLINE_SMTP_NAME ?? ehloName(origin),
    from,
    replyTo: settings.BOWLINE_SMTP_REPLY_TO,
  }
}

/** @param url as the contract's `SmtpUrl` accepts it */
export function parseSmtpUrl(url: string): Pick<SmtpSettings, 'host' | 'port' | 'implicitTls' | 'credentials'> {
  const { protocol, hostname, port, username, password } = new URL(url)
  const implicitTls = protocol === 'smtps:'
  return {
    host: hostname.replaceAll(/^\[|\]$/g, ''),
    port: port === '' ? (implicitTls ? 465 : 587) : Number(port),
    implicitTls,
    credentials:
      username === '' ? undefined : { user: decodeURIComponent(username), password: decodeURIComponent(password) },
  }
}

/** Name for EHLO by RFC 5321 section 4.1.3: the console's host name, addresses in brackets. */
export function ehloName(origin: string): string {
  const host = new URL(origin).hostname.replaceAll(/^\[|\]$/g, '')
  return isIP(host) === 6 ? `[IPv6:${host}]` : isIP(host) === 4 ? `[${host}]` : host
}

/** True for one or more PEM certificates. */
export function isCertificates(text: string): boolean {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    return blocks.map((block) => new X509Certificate(block)).length > 0
  } catch {
    return false
  }
}

async function readText(setting: string, file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new ConfigError([`${setting}: ${file} cannot be read (${String((error as NodeJS.ErrnoException).code)}).`])
  })
  if (text.trim() === '') throw new ConfigError([`${setting}: ${file} is empty.`])
  return text.trim()
}
