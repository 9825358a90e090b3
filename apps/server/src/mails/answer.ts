// Answers of mail servers: what was said, and what follows from it for a mail.
import type { SmtpSettings } from './settings.ts'

/** Result of an attempt to hand a mail over. */
export interface SmtpAnswer {
  readonly outcome: 'accepted' | 'refused' | 'unreachable' | 'timeout' | 'tls' | 'protocol'
  /** Code of the reply; 0 when there was no reply. */
  readonly code: number
  /** Reply of the server, or our own description of the failure; one line, at most 500 characters. */
  readonly text: string
  /** True when the same mail would be refused again: a 5xx about sender, recipient or content. */
  readonly isFinal: boolean
}

/** Fields of nodemailer's errors. */
interface SmtpFailure {
  readonly code?: unknown
  /** Code of the system's error behind it. */
  readonly originalCode?: unknown
  readonly command?: unknown
  readonly response?: unknown
  readonly responseCode?: unknown
  readonly cause?: unknown
  readonly message?: unknown
}

const MAX_LENGTH = 500
const SYSTEM_CODE =
  /^(?:E(?:CONN|HOST|NET|PIPE|AI_|NOTFOUND|ACCES)|ERR_|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO_)[A-Z0-9_]*$/
/** A reply by RFC 5321 section 4.2; other text may come from any kind of server and is never passed on. */
const REPLY = /^([2-5]\d\d)(?:[ -]|$)/
/** Commands whose refusal is about the mail itself. */
const ABOUT_THE_MAIL: readonly unknown[] = ['MAIL FROM', 'RCPT TO', 'DATA']
/** Refusals on those commands that are about the connection: authentication or encryption is missing. */
const ABOUT_THE_CONNECTION: readonly number[] = [530, 534, 535, 538]

/** Answer for a mail that the server has taken. @param reply last reply, such as `250 2.0.0 queued` */
export function accepted(reply: string, settings: Pick<SmtpSettings, 'credentials'>): SmtpAnswer {
  return { outcome: 'accepted', code: codeOf(reply), text: clean(reply, settings), isFinal: false }
}

/** Answer for a failed attempt. @param error as nodemailer throws it */
export function failed(error: unknown, settings: Pick<SmtpSettings, 'credentials'>): SmtpAnswer {
  const { code, command, response } = (error ?? {}) as SmtpFailure
  const reply = typeof response === 'string' && REPLY.test(response) ? response : ''
  if (reply !== '' && code !== 'ETLS') {
    const number = codeOf(reply)
    const isFinal =
      number >= 500 && code !== 'EAUTH' && ABOUT_THE_MAIL.includes(command) && !ABOUT_THE_CONNECTION.includes(number)
    return { outcome: 'refused', code: number, text: clean(reply, settings), isFinal }
  }
  const none = { code: codeOf(reply), isFinal: false }
  if (code === 'ETIMEDOUT' || isCausedBy(error, 'ETIMEDOUT'))
    return { ...none, outcome: 'timeout', text: 'The mail server did not answer in time.' }
  if (code === 'EDNS') return { ...none, outcome: 'unreachable', text: 'The name of the mail server has no address.' }
  const tls = tlsProblem(error)
  if (tls !== undefined) return { ...none, outcome: 'tls', text: tls }
  if (code === 'EAUTH') {
    return { ...none, outcome: 'protocol', text: 'The mail server offers no way to sign in that is supported.' }
  }
  if (code === 'EPROTOCOL') return { ...none, outcome: 'protocol', text: 'The server does not speak SMTP.' }
  if (code === 'EENVELOPE' || code === 'EMESSAGE') {
    return { ...none, isFinal: true, outcome: 'refused', text: 'The mail is too large, or an address is not valid.' }
  }
  const number = systemCode(error)
  return {
    ...none,
    outcome: 'unreachable',
    text: `The connection to the mail server failed${number === '' ? '' : ` (${number})`}.`,
  }
}

/** A sentence with OpenSSL's or Node's code for the cause; undefined for failures of other layers. */
function tlsProblem(error: unknown): string | undefined {
  const { code, command, message } = error as SmtpFailure
  const cause = systemCode(error)
  const named = /^(?:ERR_(?:TLS|SSL)|CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO_|ERR_OSSL)/.test(cause) ? cause : ''
  if (code !== 'ETLS' && command !== 'STARTTLS' && named === '') {
    if (typeof message !== 'string' || !/certificate|SSL routines|TLS/i.test(message)) return undefined
  }
  const hints = [/certificate/i, /altnames/i].some((hint) => typeof message === 'string' && hint.test(message))
  if (named !== '') return `TLS with the mail server failed (${named}).`
  if (hints) return 'TLS with the mail server failed: its certificate is not trusted or is for another name.'
  return 'The mail server does not offer STARTTLS, or TLS with it failed.'
}

function systemCode(error: unknown): string {
  for (let one = error as SmtpFailure | undefined, depth = 0; one && depth < 4; depth += 1) {
    for (const code of [one.originalCode, one.code]) {
      if (typeof code === 'string' && code !== 'ECONNECTION' && SYSTEM_CODE.test(code)) return code
    }
    one = one.cause as SmtpFailure | undefined
  }
  const found = /\b(ECONN[A-Z]+|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EPIPE)\b/.exec((error as Error).message)
  return found?.[1] ?? ''
}

function isCausedBy(error: unknown, code: string): boolean {
  return (error as { cause?: { code?: unknown } }).cause?.code === code
}

function codeOf(reply: string): number {
  return Number(REPLY.exec(reply)?.[1] ?? 0)
}

/** One line of printable text without what was used to sign in. */
function clean(reply: string, { credentials }: Pick<SmtpSettings, 'credentials'>): string {
  const secrets = credentials
    ? [
        credentials.password,
        ...[credentials.password, credentials.user].map((text) => btoaUtf8(text)),
        plain(credentials),
      ]
    : []
  const line = reply
    .replaceAll(/\p{C}+/gu, ' ')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
  const silent = secrets.reduce((text, secret) => (secret === '' ? text : text.replaceAll(secret, '[secret]')), line)
  return silent.slice(0, MAX_LENGTH)
}

const btoaUtf8 = (text: string): string => Buffer.from(text).toString('base64')
/** Initial response of AUTH PLAIN (RFC 4616). */
const plain = ({ user, password }: { user: string; password: string }): string => btoaUtf8(`\0${user}\0${password}`)
