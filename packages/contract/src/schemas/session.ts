// Sessions as clients see them.
import * as z from 'zod'
import { Device } from './device.ts'
import { DeviceUid, Position, SessionUid, TenantId, Time } from './common.ts'

export const SessionEventItem = z.object({ type: z.string(), timestamp: Time, data: z.unknown(), seat: z.number() })

export const Session = z
  .object({
    uid: SessionUid,
    device_uid: DeviceUid,
    device: Device.nullable(),
    tenant_id: TenantId,
    username: z.string(),
    ip_address: z.string(),
    started_at: Time,
    last_seen: Time,
    active: z.boolean(),
    authenticated: z.boolean(),
    recorded: z.boolean(),
    /** What of the output that ended seats had is in recordings. Files and forwards are told in the events instead. */
    recording: z
      .object({
        share: z.enum(['all', 'part', 'none']),
        output_bytes: z.number().int(),
        recorded_bytes: z.number().int(),
      })
      .optional(),
    type: z.enum(['web', 'term']),
    term: z.string(),
    position: Position,
    events: z.object({
      types: z.array(z.string()),
      seats: z.array(z.number()),
      items: z.array(SessionEventItem).optional(),
    }),
    /** Why it ended; null while it lives. */
    closed: z.object({ at: Time, by: z.string(), reason: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof Session>

/** A chunk of recorded output, as existing clients read it. */
export const RecordedFrame = z
  .object({
    uid: SessionUid,
    seat: z.number().int().min(0).max(65_535),
    message: z.string(),
    tenant_id: TenantId,
    time: Time,
    width: z.number().int().min(0).max(65_535),
    height: z.number().int().min(0).max(65_535),
  })
  .meta({ id: 'RecordedFrame' })
export type RecordedFrame = z.infer<typeof RecordedFrame>

/** What became of a recording since it was written. */
export const RecordingVerdict = z
  .object({
    /**
     * `recording`: intact so far, and not sealed yet because the session lives. `missing`: it began and was not deleted,
     * and its row or its file is gone.
     */
    result: z.enum(['intact', 'recording', 'tampered', 'missing']),
    /** Whether it holds everything to the end of the session; false after a crash or without room. */
    complete: z.boolean(),
    /** Chunks that are as they were written, counted from the first. */
    chunks: z.number().int(),
    /** The first chunk that is not as it was written, counted from 0; null when all are. */
    bad_chunk: z.number().int().nullable(),
    /** `truncated`: there was no room; `interrupted`: the server found it without its end and sealed it; null without a seal. */
    ending: z.enum(['complete', 'truncated', 'interrupted']).nullable(),
    /** Whether session, device, user, address and start are signed with it; false for recordings of earlier versions. */
    identity: z.boolean(),
    /** What the database tells of it that is not what was signed, such as `session`, `user` or `started_at`. */
    differs: z.array(z.string()),
    message: z.string(),
  })
  .meta({ id: 'RecordingVerdict' })
export type RecordingVerdict = z.infer<typeof RecordingVerdict>
