// Sessions.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { DeviceUid, ExportFormat, Page, SessionUid } from '../schemas/common.ts'
import { FilterText } from '../schemas/filter.ts'
import { Keyframe, ListedRecording, RecordingIndex, RecordingPreview } from '../schemas/recording.ts'
import { RecordedFrame, RecordingVerdict, SESSION_GROUPINGS, Session, SessionGroup } from '../schemas/session.ts'

/** Orders of the list. `active` is refined by `last_seen`: descending, what runs comes before what has ended. */
export const SESSION_SORTS = ['last_seen', 'started_at', 'username', 'person', 'ip_address', 'active'] as const
export type SessionSort = (typeof SESSION_SORTS)[number]

/** Orders of the groups. */
export const SESSION_GROUP_SORTS = ['last_started_at', 'sessions', 'active'] as const
export type SessionGroupSort = (typeof SESSION_GROUP_SORTS)[number]

/** What is listed, and in which order. */
const Selection = z.object({
  filter: FilterText,
  sort_by: z.enum(SESSION_SORTS).default('last_seen'),
  order_by: z.enum(['asc', 'desc']).default('desc'),
})

const byUid = z.object({ uid: SessionUid })
const MAX_SEAT = 65_535
/** In a path: digits only, because numbers have many other notations. */
const Seat = z
  .string()
  .regex(/^\d{1,5}$/, `must be a whole number from 0 to ${MAX_SEAT}`)
  .transform(Number)
  .pipe(z.number().max(MAX_SEAT, `must be a whole number from 0 to ${MAX_SEAT}`))
const bySeat = byUid.extend({ seat: Seat })

/** In a query: a time in a recording. */
const Seconds = z
  .string()
  .regex(/^\d{1,9}(\.\d{1,6})?$/, 'must be seconds since the start of the recording')
  .transform(Number)

/** In a query: an offset in a file. */
const Bytes = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a number of bytes')
  .transform(Number)

export const sessions = {
  list: operation({
    method: 'GET',
    path: '/api/sessions',
    noun: 'sessions',
    summary: 'Sessions of the namespace, by default the last seen first; failed logins are among them',
    access: { kind: 'member', keys: true },
    query: Page.extend(Selection.shape),
    response: z.array(Session),
    total: true,
    errors: ['INVALID_FILTER'],
  }),
  export: operation({
    method: 'GET',
    path: '/api/sessions/export',
    noun: 'sessions',
    summary: 'All sessions that match, as CSV or JSON lines',
    access: { kind: 'member', keys: true },
    query: Selection.extend({ format: ExportFormat.default('csv') }),
    response: z.array(Session),
    jsonLines: true,
    asCsv: true,
    errors: ['INVALID_FILTER', 'TOO_MANY_REQUESTS'],
  }),
  groups: operation({
    method: 'GET',
    path: '/api/sessions/groups',
    noun: 'sessions',
    summary: 'How many sessions each device or person has, of those that match; by default the last started first',
    access: { kind: 'member', keys: true },
    query: Page.extend({
      by: z.enum(SESSION_GROUPINGS).default('device'),
      filter: FilterText,
      sort_by: z.enum(SESSION_GROUP_SORTS).default('last_started_at'),
      order_by: z.enum(['asc', 'desc']).default('desc'),
    }),
    response: z.array(SessionGroup),
    total: true,
    errors: ['INVALID_FILTER'],
  }),
  get: operation({
    method: 'GET',
    path: '/api/sessions/{uid}',
    noun: 'sessions',
    summary: 'One session with its events',
    access: { kind: 'member', keys: true },
    params: byUid,
    response: Session,
    errors: ['NOT_FOUND'],
  }),
  setAuthenticated: operation({
    method: 'POST',
    path: '/api/sessions/{uid}',
    noun: 'sessions',
    summary: 'Mark a session as authenticated; for services',
    access: { kind: 'member', permission: 'sessionUpdate', keys: true },
    params: byUid,
    body: z.object({ authenticated: z.boolean() }),
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  close: operation({
    method: 'POST',
    path: '/api/sessions/{uid}/close',
    noun: 'sessions',
    summary: 'End a session',
    access: { kind: 'member', permission: 'sessionClose', per: 'session', keys: true },
    params: byUid,
    body: z.object({ device: DeviceUid }),
    errors: ['NOT_FOUND', 'DEVICE_UNREACHABLE'],
  }),
  join: operation({
    method: 'POST',
    path: '/api/sessions/{uid}/join',
    noun: 'sessions',
    summary: 'A ticket that asks the person in a running web terminal, at /ws/terminal, to let you type in it',
    access: { kind: 'member', permission: 'deviceConnect', keys: false },
    params: byUid,
    response: z.object({
      ticket: z.string(),
      /** Seconds. */
      expires_in: z.int(),
    }),
    errors: ['NOT_FOUND', 'SESSION_NOT_JOINABLE', 'TOO_MANY_REQUESTS', 'FRESH_PROOF_REQUIRED'],
  }),
  records: operation({
    method: 'GET',
    path: '/api/sessions/{uid}/records',
    noun: 'sessions',
    summary: 'Recordings of a session, one of each seat, with a summary each',
    access: { kind: 'member', permission: 'sessionPlay', per: 'session', keys: true },
    params: byUid,
    response: z.array(ListedRecording),
    errors: ['NOT_FOUND'],
  }),
  addRecord: operation({
    method: 'POST',
    path: '/api/sessions/{uid}/records/{seat}',
    noun: 'sessions',
    summary: 'Add a chunk of output to the recording of a seat that the gateway does not record itself',
    bodyBytes: 1_048_576,
    access: { kind: 'internal' },
    params: bySeat,
    body: RecordedFrame.pick({ uid: true, seat: true, message: true, width: true, height: true }),
    errors: ['NOT_FOUND', 'CONFLICT', 'UNAVAILABLE'],
  }),
  getRecord: operation({
    method: 'GET',
    path: '/api/sessions/{uid}/records/{seat}',
    noun: 'sessions',
    summary: 'The recording of a seat: its frames, or an asciicast for players',
    access: { kind: 'member', permission: 'sessionPlay', per: 'session', keys: true },
    params: bySeat,
    query: z.object({
      /**
       * Default: version 2 of asciicast for clients that accept `text/plain` explicitly, else frames. Version 3 has
       * chain and seal.
       */
      format: z.enum(['frames', 'cast', 'cast3']).optional(),
      /** Only from this time on; the screen at that time is sent first, as one event. */
      from: Seconds.optional(),
      /** Only up to this time. */
      to: Seconds.optional(),
      /**
       * Only the part of the version 3 file after this offset, which must be the start of a line: follows a growing
       * file.
       */
      after: Bytes.optional(),
    }),
    response: z.array(RecordedFrame),
    asText: true,
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
  }),
  getRecordIndex: operation({
    method: 'GET',
    path: '/api/sessions/{uid}/records/{seat}/index',
    noun: 'sessions',
    summary: 'Length of the recording of a seat, and the times at which its screen is known without reading the rest',
    access: { kind: 'member', permission: 'sessionPlay', per: 'session', keys: true },
    params: bySeat,
    response: RecordingIndex,
    errors: ['NOT_FOUND'],
  }),
  getKeyframe: operation({
    method: 'GET',
    path: '/api/sessions/{uid}/records/{seat}/keyframe',
    noun: 'sessions',
    summary: 'The last keyframe of the recording of a seat that is not after a time',
    access: { kind: 'member', permission: 'sessionPlay', per: 'session', keys: true },
    params: bySeat,
    query: z.object({ at: Seconds.default(0) }),
    response: Keyframe,
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
  }),
  getPreview: operation({
    method: 'GET',
    path: '/api/sessions/{uid}/records/{seat}/preview',
    noun: 'sessions',
    summary: 'The last screen of the recording of a seat and a summary, once the session is over; the audit log has it',
    access: { kind: 'member', permission: 'sessionPlay', per: 'session', keys: true },
    params: bySeat,
    response: RecordingPreview,
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
  }),
  verifyRecord: operation({
    method: 'GET',
    path: '/api/sessions/{uid}/records/{seat}/verify',
    noun: 'sessions',
    summary: 'Whether the recording of a seat is as it was written, or which chunk is not',
    access: { kind: 'member', permission: 'sessionPlay', per: 'session', keys: true },
    params: bySeat,
    response: RecordingVerdict,
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
  }),
  removeRecord: operation({
    method: 'DELETE',
    path: '/api/sessions/{uid}/records/{seat}',
    noun: 'sessions',
    summary: 'Delete the recording of a seat',
    access: { kind: 'member', permission: 'sessionRemove', per: 'session', keys: true },
    params: bySeat,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
}
