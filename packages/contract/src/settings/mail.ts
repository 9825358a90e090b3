// Settings of mail; everything but the templates needs `BOWLINE_SMTP_URL`.
import * as z from 'zod'
import type { SettingSpec } from './spec.ts'

const server = ['server'] as const
const optional = z.string().min(1).optional()

/** `name@host` or `Name <name@host>`, on one line; quotes and further addresses are excluded. */
const MAILBOX =
  // oxlint-disable-next-line no-control-regex -- the characters that it refuses
  /^(?:[^\u0000-\u001f\u007f-\u009f<>",;@]{1,128} )?<[^\s<>@",;]{1,64}@[^\s<>@",;]{1,253}>$|^[^\s<>@",;]{1,64}@[^\s<>@",;]{1,253}$/u
const RULE_OF_MAILBOX = 'must be an address such as bowline@example.com or Bowline <bowline@example.com>'
const SMTP_ADDRESS =
  /^smtps?:\/\/(?:[^\s/?#@:]+:[^\s/?#@]*@)?(?:[A-Za-z0-9._-]{1,253}|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?\/?$/
const RULE_OF_ADDRESS = 'must be smtp://[user:password@]host[:port] or smtps://[user:password@]host[:port]'

/** Address of a mail server. Special characters of user and password are percent-encoded. */
export const SmtpUrl = z.string().max(1_024).regex(SMTP_ADDRESS, RULE_OF_ADDRESS).refine(isDecodable, RULE_OF_ADDRESS)
/** Sender of mails. */
export const Mailbox = z.string().max(400).regex(MAILBOX, RULE_OF_MAILBOX)
/** Use of TLS with `smtp://`. */
export const StartTls = z.enum(['required', 'opportunistic', 'off'])
/** Name that a client of SMTP introduces itself with. */
export const EhloName = z
  .string()
  .regex(/^(?:[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})*|\[[0-9a-fA-F:.]+\])$/, 'must be a host name or [address]')
  .max(253)

export const MAIL_SETTINGS = {
  BOWLINE_SMTP_URL: {
    programs: server,
    schema: SmtpUrl.optional(),
    description:
      'Mail server: `smtp://[user:password@]host[:port]`, port 587 without one, or `smtps://…`, TLS from the first byte, port 465 without one. Special characters of user and password are percent-encoded. Needs BOWLINE_SMTP_FROM, and BOWLINE_DOMAIN or BOWLINE_PUBLIC_URL for the links. Without it no mail is sent.',
    secret: true,
  },
  BOWLINE_SMTP_PASSWORD_FILE: {
    programs: server,
    schema: optional,
    description: 'File with the password instead, so that it is not in the environment; the user is in the URL.',
  },
  BOWLINE_SMTP_FROM: {
    programs: server,
    schema: Mailbox.optional(),
    description: 'Sender of all mails: `bowline@example.com` or `Bowline <bowline@example.com>`.',
  },
  BOWLINE_SMTP_REPLY_TO: {
    programs: server,
    schema: Mailbox.optional(),
    description: 'Address that answers go to, if it is another one than the sender.',
  },
  BOWLINE_SMTP_CA_FILE: {
    programs: server,
    schema: optional,
    description: 'PEM certificates of the authority that signed the mail server’s certificate, if it is a private one.',
  },
  BOWLINE_SMTP_STARTTLS: {
    programs: server,
    schema: StartTls.default('required'),
    description:
      'With `smtp://`: required – a server without STARTTLS gets no mail; opportunistic – STARTTLS where the server offers it, else plain text, password included; off – never, for a server on the same machine.',
  },
  BOWLINE_SMTP_NAME: {
    programs: server,
    schema: EhloName.optional(),
    description: 'Name that the server introduces itself with (EHLO); default: the host name of the console.',
  },
  BOWLINE_MAIL_TEMPLATES: {
    programs: server,
    schema: optional,
    description:
      'Folder with texts of your own: `<kind>.txt`, its first line `Subject: …`, and `<kind>.html`. A kind without files keeps the built-in text.',
  },
} as const satisfies Record<string, SettingSpec>

function isDecodable(url: string): boolean {
  try {
    const { username, password } = new URL(url)
    decodeURIComponent(username)
    decodeURIComponent(password)
    return true
  } catch {
    return false
  }
}
