// Mail of the instance: its settings, the outbox, and previews.
import * as z from 'zod'
import { EhloName, Mailbox, SmtpUrl, StartTls } from '../settings/mail.ts'
import { Email, ROW_IDS, Time } from './common.ts'

export const MailId = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be a UUID')
  .register(ROW_IDS, { noun: 'The mail' })

export const MailState = z.enum(['queued', 'sent', 'failed'])

/** A mail of the outbox. What it says is not shown. */
export const OutboxMail = z
  .object({
    id: z.string(),
    kind: z.string(),
    recipient: z.string(),
    state: MailState,
    created_at: Time,
    attempts: z.number(),
    /** Time of the next attempt; null when there is none. */
    due_at: Time.nullable(),
    /** Last answer of the mail server; '' for none. */
    answer: z.string(),
    /** True if the mail has a link that is to be handed over, as no mail server is set. */
    has_link: z.boolean(),
  })
  .meta({ id: 'OutboxMail' })
export type OutboxMail = z.infer<typeof OutboxMail>

/** Settings of mail in effect, without secrets. */
export const MailSettings = z
  .object({
    /** False: no mail server is set, and no mail is sent. */
    enabled: z.boolean(),
    host: z.string(),
    port: z.number(),
    implicit_tls: z.boolean(),
    starttls: StartTls,
    /** User that signs in; '' without authentication. */
    user: z.string(),
    private_ca: z.boolean(),
    from: z.string(),
    reply_to: z.string(),
    /** Name that the server introduces itself with. */
    name: z.string(),
    /** Origin that mails link to. */
    links_to: z.string(),
    /** Folder with texts of the operator's own; ''. */
    templates: z.string(),
  })
  .meta({ id: 'MailSettings' })
export type MailSettings = z.infer<typeof MailSettings>

/** Values to try, as the settings have them; without `url` those in effect are used, and the others are ignored. */
export const MailTestBody = z.object({
  to: Email,
  url: SmtpUrl.optional(),
  from: Mailbox.optional(),
  starttls: StartTls.optional(),
  name: EhloName.optional(),
  /** PEM certificates. */
  ca: z.string().max(65_536).optional(),
})

/** Answer of the mail server. */
export const MailTestAnswer = z
  .object({
    outcome: z.enum(['accepted', 'refused', 'unreachable', 'timeout', 'tls', 'protocol']),
    /** SMTP code; 0 when the server did not get as far as an answer. */
    code: z.number(),
    text: z.string(),
  })
  .meta({ id: 'MailTestAnswer' })
export type MailTestAnswer = z.infer<typeof MailTestAnswer>

export const MailPreview = z
  .object({
    kind: z.string(),
    /** Event of a notice; '' for other kinds. */
    event: z.string(),
    subject: z.string(),
    text: z.string(),
    /** '' when the mail has a text part only. */
    html: z.string(),
    /** The text comes from a file of the operator. */
    own: z.boolean(),
  })
  .meta({ id: 'MailPreview' })
export type MailPreview = z.infer<typeof MailPreview>
