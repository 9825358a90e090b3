// Streams that send the audit log of a namespace to a receiver such as a SIEM, as it is written.
import * as z from 'zod'
import { LIMITS } from '../../limits.ts'
import { operation } from '../../operation.ts'
import { ROW_IDS, Time } from '../../schemas/common.ts'
import { AlertName, AlertUrl } from './alerts.ts'

const { auditStreams: limits } = LIMITS

/** `json`: an array of entries; `ndjson`: an entry on each line; `splunk-hec`: events of Splunk's HTTP Event Collector. */
export const STREAM_FORMATS = ['json', 'ndjson', 'splunk-hec'] as const

const Noun = z
  .string()
  .max(64)
  .regex(/^[a-z]+(-[a-z]+)*$/, 'must be a noun of actions, such as device')

export const StreamAuthorization = z
  .string()
  .trim()
  .min(1, 'is required')
  .max(limits.authorization, `must have at most ${limits.authorization} characters`)
  .regex(/^[\x20-\x7e]*$/, 'must have printable ASCII characters only')

const Changeable = z.object({
  name: AlertName,
  /** Entries whose action has one of these nouns, such as `device`; none: all. */
  nouns: z.array(Noun).max(limits.nouns, `must be at most ${limits.nouns}`),
  /** Also an entry `recording.complete` of each recording, whatever the nouns are. */
  recordings: z.boolean(),
  format: z.enum(STREAM_FORMATS, `must be one of ${STREAM_FORMATS.join(', ')}`),
})

export const AuditStreamBody = Changeable.extend({
  nouns: Changeable.shape.nouns.default([]),
  recordings: Changeable.shape.recordings.default(false),
  format: Changeable.shape.format.default('ndjson'),
  /** It is not shown again. */
  url: AlertUrl,
  /** Value of the header `Authorization`; it is not shown again. */
  authorization: StreamAuthorization.nullable().default(null),
}).meta({ id: 'AuditStreamBody' })
export type AuditStreamBody = z.output<typeof AuditStreamBody>

const AuditStreamChange = Changeable.partial()
  .extend({
    /** false pauses it; true goes on where it stopped. */
    active: z.boolean().optional(),
    /** At another host, port or scheme a stored `authorization` must be given again. */
    url: AlertUrl.optional(),
    /** null removes it. */
    authorization: StreamAuthorization.nullable().optional(),
  })
  .meta({ id: 'AuditStreamChange' })

export const AuditStream = Changeable.extend({
  id: z.string(),
  active: z.boolean(),
  /** Host of the address. */
  host: z.string(),
  /** It sends a header `Authorization`. */
  has_authorization: z.boolean(),
  /** Entries of the log after its place, of all nouns, counted up to a limit of 10000. */
  behind: z.number().int(),
  /** Result of the last attempt; '' before the first. */
  answer: z.string(),
  /** Since when its receiver fails; null while entries arrive. */
  failing_since: Time.nullable(),
  /** Why the server has paused it; null where it has not. */
  disabled_reason: z.string().nullable(),
  created_at: Time,
}).meta({ id: 'AuditStream' })
export type AuditStream = z.infer<typeof AuditStream>

const NewAuditStream = AuditStream.extend({
  /** Signs the requests. */
  secret: z.string(),
}).meta({ id: 'NewAuditStream' })

const AuditStreamTest = z
  .object({
    arrived: z.boolean(),
    /** The status of the receiver, or why nothing was sent. */
    answer: z.string(),
  })
  .meta({ id: 'AuditStreamTest' })

const byId = z.object({ id: z.uuid().register(ROW_IDS, { noun: 'The audit stream' }) })
const path = '/api/audit-streams'
const noun = 'audit'
const access = { kind: 'member', permission: 'namespaceUpdate', keys: true } as const

export const auditStreams = {
  list: operation({
    method: 'GET',
    path,
    noun,
    summary: 'Audit streams of the namespace',
    access,
    response: z.array(AuditStream),
  }),
  create: operation({
    method: 'POST',
    path,
    noun,
    summary: 'Add an audit stream, which sends entries from now on; the secret that signs them is shown this once',
    access,
    body: AuditStreamBody,
    status: 201,
    response: NewAuditStream,
    errors: ['FRESH_PROOF_REQUIRED', 'NAMESPACE_FULL', 'TOO_MANY_REQUESTS'],
  }),
  update: operation({
    method: 'PUT',
    path: `${path}/{id}`,
    noun,
    summary: 'Change an audit stream, pause it, or go on where it stopped',
    access,
    params: byId,
    body: AuditStreamChange,
    response: AuditStream,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND', 'TOO_MANY_REQUESTS'],
  }),
  remove: operation({
    method: 'DELETE',
    path: `${path}/{id}`,
    noun,
    summary: 'Remove an audit stream',
    access,
    params: byId,
    errors: ['NOT_FOUND'],
  }),
  test: operation({
    method: 'POST',
    path: `${path}/{id}/test`,
    noun,
    summary: 'Send a test entry, whose id is 0, and tell what the receiver answers',
    access,
    params: byId,
    response: AuditStreamTest,
    errors: ['NOT_FOUND', 'TOO_MANY_REQUESTS'],
  }),
}
