// Use cases of mail for administrators of the instance.
import { fail } from '@bowline/contract/errors'
import type { mails as operations } from '@bowline/contract/operations/mails'
import type { Input } from '@bowline/contract/operation'
import {
  MailId,
  type MailPreview,
  type MailSettings,
  type MailTestAnswer,
  type OutboxMail,
} from '@bowline/contract/schemas/mail'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Listing } from '../db/lists/listing.ts'
import type { Schema } from '../db/schema.ts'
import { type EgressRules, judgeEgress } from '../platform/network/egress.ts'
import type { Ids } from '../platform/ids.ts'
import type { SecretKey } from '../platform/secrets/seal.ts'
import { LINK_KINDS } from './kinds.ts'
import { openValues } from './queue.ts'
import type { Renderer } from './render/render.ts'
import { type SmtpSettings, ehloName, isCertificates, parseSmtpUrl } from './settings.ts'
import { findMail, type MailRow, type MailState, listMails, requeue } from './store.ts'
import { createSmtpTransport } from './transport.ts'

export interface MailDeps {
  /** System connection. */
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly ids: Ids
  readonly secretKey: SecretKey
  readonly renderer: Renderer
  /** undefined: no mail server is set. */
  readonly smtp: SmtpSettings | undefined
  /** Origin of the console. */
  readonly origin: () => string
  /** Folder of the operator's own texts; ''. */
  readonly templates: string
  readonly egress: EgressRules
  /** Called when there may be work for the worker. */
  readonly wake: () => void
}

/** Somebody waits for the answer. */
const TEST_LIMITS = { replyMs: 10_000, attemptMs: 30_000 }

type TestBody = Input<typeof operations.test>['body']

/** Dependencies for reading the outbox. */
interface OutboxDeps extends Pick<MailDeps, 'db' | 'secretKey'> {
  /** True hides the links: they go out by mail. */
  readonly hasMailServer: boolean
}

export async function list(
  deps: OutboxDeps,
  query: { readonly state?: MailState | undefined; readonly page: number; readonly per_page: number },
): Promise<Listing<OutboxMail>> {
  const { rows, total } = await listMails(deps.db, {
    state: query.state,
    limit: query.per_page,
    offset: (query.page - 1) * query.per_page,
  })
  return { items: rows.map((row) => toOutboxMail(deps, row)), total }
}

/**
 * The link of a mail, for people whom it does not reach.
 * @throws {BowlineError} NOT_FOUND, also for a mail without a link and where a mail server sends them
 */
export async function revealLink(deps: OutboxDeps, id: string): Promise<string> {
  const row = MailId.safeParse(id).success && !deps.hasMailServer ? await findMail(deps.db, id) : undefined
  const link = row ? linkOf(deps.secretKey, row) : ''
  return link === '' ? fail('NOT_FOUND', { what: 'The link of the mail' }) : link
}

/**
 * Makes a failed mail due at once.
 * @throws {BowlineError} NOT_FOUND for an unknown mail and for one that has not failed
 */
export async function resend(deps: Pick<MailDeps, 'db' | 'clock' | 'wake'>, id: string): Promise<void> {
  const isKnown = MailId.safeParse(id).success && (await requeue(deps.db, id, new Date(deps.clock.now())))
  if (!isKnown) fail('NOT_FOUND', { what: 'The failed mail' })
  deps.wake()
}

/** Settings in effect, without secrets. */
export function describeSettings({
  smtp,
  origin,
  templates,
}: Pick<MailDeps, 'smtp' | 'origin' | 'templates'>): MailSettings {
  return {
    enabled: smtp !== undefined,
    host: smtp?.host ?? '',
    port: smtp?.port ?? 0,
    implicit_tls: smtp?.implicitTls ?? false,
    starttls: smtp?.startTls ?? 'required',
    user: smtp?.credentials?.user ?? '',
    private_ca: smtp?.ca !== undefined,
    from: smtp?.from ?? '',
    reply_to: smtp?.replyTo ?? '',
    name: smtp?.name ?? '',
    links_to: origin(),
    templates,
  }
}

/** Every mail with example values. */
export function previews({ renderer }: Pick<MailDeps, 'renderer'>): MailPreview[] {
  return renderer.previews().map(({ kind, event, subject, text, html, isOwn }) => ({
    kind,
    event,
    subject,
    text,
    html: html ?? '',
    own: isOwn,
  }))
}

/**
 * Sends a test mail, past the outbox. Given values are used alone: what is saved, the password above all, never goes to
 * a server that the caller names.
 * @throws {BowlineError} INVALID_INPUT for values that are missing or an address that may not be dialled
 */
export async function sendTest(deps: MailDeps, body: TestBody): Promise<MailTestAnswer> {
  const { settings, address } = await settingsFor(deps, body)
  return sendTestTo(deps, settings, body.to, address)
}

/**
 * Sends a test mail.
 * @param address dialled instead of the host's name
 */
export async function sendTestTo(
  { renderer, origin, clock, ids }: Pick<MailDeps, 'renderer' | 'origin' | 'clock' | 'ids'>,
  settings: SmtpSettings,
  to: string,
  address?: string,
): Promise<MailTestAnswer> {
  const letter = renderer.render('test', { link: origin() })
  const envelope = { to, id: ids.uuid(), domain: messageDomain(origin()), date: new Date(clock.now()) }
  const transport = createSmtpTransport(settings, TEST_LIMITS, address)
  const { outcome, code, text } = await transport.send({ ...letter, ...envelope })
  return { outcome, code, text }
}

async function settingsFor(
  deps: MailDeps,
  body: TestBody,
): Promise<{ settings: SmtpSettings; address: string | undefined }> {
  const { smtp } = deps
  if (body.url === undefined) {
    const settings = smtp ?? invalid('url', 'is required while no mail server is set')
    return { settings, address: undefined }
  }
  const from = body.from ?? smtp?.from ?? invalid('from', 'is required while no mail server is set')
  const ca = body.ca?.trim() === '' ? undefined : body.ca
  if (ca !== undefined && !isCertificates(ca)) invalid('ca', 'must hold PEM certificates')
  const settings: SmtpSettings = {
    ...parseSmtpUrl(body.url),
    startTls: body.starttls ?? 'required',
    ca,
    name: body.name ?? ehloName(deps.origin()),
    from,
    replyTo: undefined,
  }
  // The server's own choice has been dialled anyway.
  if (smtp && settings.host === smtp.host && settings.port === smtp.port) {
    return { settings, address: undefined }
  }
  const checked = await judgeEgress(settings.host, deps.egress)
  if ('refused' in checked) return invalid('url', checked.refused)
  return { settings, address: checked.address }
}

/** Part of Message-IDs after the @. */
export function messageDomain(origin: string): string {
  return ehloName(origin)
}

function invalid(field: string, rule: string): never {
  return fail('INVALID_INPUT', { field, rule }, [field])
}

function toOutboxMail({ secretKey, hasMailServer }: OutboxDeps, row: MailRow): OutboxMail {
  return {
    id: row.id,
    kind: row.kind,
    recipient: row.recipient,
    state: row.sent_at ? 'sent' : row.failed_at ? 'failed' : 'queued',
    created_at: row.created_at.toISOString(),
    attempts: row.attempts,
    due_at: row.due_at?.toISOString() ?? null,
    answer: row.answer,
    has_link: !hasMailServer && linkOf(secretKey, row) !== '',
  }
}

function linkOf(secretKey: SecretKey, { id, kind, sealed }: MailRow): string {
  const known = LINK_KINDS.find((one) => one === kind)
  if (known === undefined || sealed === null) return ''
  return openValues(secretKey, { id, kind: known, sealed }).link
}
