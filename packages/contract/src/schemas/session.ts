// Sessions as clients see them.
import * as z from 'zod'
import { Device } from './device.ts'
import { DeviceUid, Position, SessionUid, TenantId, Time, UserId } from './common.ts'

export const SessionEventItem = z.object({ type: z.string(), timestamp: Time, data: z.unknown(), seat: z.number() })

/** Methods of RFC 4252 and RFC 4256 that let somebody in. */
export const SESSION_METHODS = ['password', 'keyboard-interactive', 'publickey'] as const
export type SessionMethod = (typeof SESSION_METHODS)[number]

/** `earlier`: proven for an earlier login, in the hours for which it is not asked again. */
export const SESSION_FACTORS = ['approval', 'code', 'security-key', 'earlier'] as const
export type SessionFactor = (typeof SESSION_FACTORS)[number]

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
    /** How much of the output of ended seats is recorded. Files and forwards are reported in the events instead. */
    recording: z
      .object({
        share: z.enum(['all', 'part', 'none']),
        output_bytes: z.number().int(),
        recorded_bytes: z.number().int(),
      })
      .optional(),
    type: z.enum(['web', 'term']),
    /**
     * The account: who is signed in to the console that opened a web terminal, the owner of the key, or whoever approved
     * a login by password. Null when the login names nobody: a password alone, or a service key.
     */
    person: z
      .object({
        id: UserId,
        /** E-mail address at the time of the login. */
        name: z.string(),
      })
      .nullable(),
    /** Null in sessions of earlier versions. */
    method: z.enum(SESSION_METHODS).nullable(),
    /** How the second factor was proven; null when none was asked for. */
    second_factor: z.enum(SESSION_FACTORS).nullable(),
    /** The registered key; null for a password. */
    key: z
      .object({
        name: z.string(),
        /** SHA-256 as `ssh-keygen -l` prints it. */
        fingerprint: z.string(),
      })
      .nullable(),
    /** The first command that was run without a shell; ''. */
    command: z.string(),
    term: z.string(),
    position: Position,
    events: z.object({
      types: z.array(z.string()),
      seats: z.array(z.number()),
      items: z.array(SessionEventItem).optional(),
    }),
    /** Who watches it live: usernames, and names of API keys. */
    watchers: z.array(z.string()).optional(),
    /** Why it ended; null while it is active. */
    closed: z.object({ at: Time, by: z.string(), reason: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof Session>

/** By what sessions can be grouped. */
export const SESSION_GROUPINGS = ['device', 'person'] as const
export type SessionGrouping = (typeof SESSION_GROUPINGS)[number]

/** The sessions of one device or one person, counted. */
export const SessionGroup = z
  .object({
    /** Null when grouped by person. */
    device: z.object({ uid: DeviceUid, name: z.string(), online: z.boolean() }).nullable(),
    /** Null when grouped by device, and in the one group of sessions that name nobody. */
    person: z
      .object({
        id: UserId,
        /** E-mail address at the time of the latest session. */
        name: z.string(),
      })
      .nullable(),
    sessions: z.number().int().min(1),
    /** Those of them that run. */
    active: z.number().int().min(0),
    last_started_at: Time,
  })
  .meta({ id: 'SessionGroup' })
export type SessionGroup = z.infer<typeof SessionGroup>

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

/** Result of verifying a recording. */
export const RecordingVerdict = z
  .object({
    /**
     * `recording`: intact so far, and not sealed yet because the session is active. `missing`: it was started and not
     * deleted, and its row or its file is gone.
     */
    result: z.enum(['intact', 'recording', 'tampered', 'missing']),
    /** Whether it covers the whole session; false after a crash or when disk space ran out. */
    complete: z.boolean(),
    /** Number of intact chunks, counted from the first. */
    chunks: z.number().int(),
    /** Index of the first modified chunk, from 0; null when all are intact. */
    bad_chunk: z.number().int().nullable(),
    /**
     * `truncated`: disk space ran out; `interrupted`: found unfinished and sealed by the server; null without a seal.
     */
    ending: z.enum(['complete', 'truncated', 'interrupted']).nullable(),
    /**
     * Whether the signature covers session, device, user, address and start; false for recordings of earlier versions.
     */
    identity: z.boolean(),
    /** Database fields that differ from the signed ones, such as `session`, `user` or `started_at`. */
    differs: z.array(z.string()),
    message: z.string(),
  })
  .meta({ id: 'RecordingVerdict' })
export type RecordingVerdict = z.infer<typeof RecordingVerdict>
