// Seeking in recordings: keyframes are times at which the whole screen is known, so that a player can start there
// instead of at the beginning.
import * as z from 'zod'
import { DeviceUid, SessionUid, Time, UserId } from './common.ts'

const keyframe = {
  /** Seconds since the start of the recording. */
  time: z.number().min(0),
  /** Offset in the file after the last event that the screen includes. */
  offset: z.number().int().min(0),
  columns: z.number().int().min(0),
  rows: z.number().int().min(0),
}

export const RecordingIndex = z
  .object({
    /** `truncated`: disk space ran out; `interrupted`: found after a crash. */
    state: z.enum(['recording', 'complete', 'truncated', 'interrupted']),
    /** Whether the keyframes exist: they are created after the session. Playback works without them too. */
    indexed: z.boolean(),
    started_at: Time,
    /** Null while it is written. After its last event, where the shell or command was silent before it ended. */
    ended_at: Time.nullable(),
    /** Time of the last event in seconds; 0 before the recording is indexed. */
    seconds: z.number().min(0),
    bytes: z.number().int().min(0),
    /** In order of time, the first at 0. */
    keyframes: z.array(z.object(keyframe)),
    /** Commands typed in the shell, where it marks them (OSC 133), with the time in seconds at which each began to run. */
    commands: z.array(z.object({ time: z.number().min(0), text: z.string() })),
  })
  .meta({ id: 'RecordingIndex' })
export type RecordingIndex = z.infer<typeof RecordingIndex>

export const Keyframe = z
  .object({
    ...keyframe,
    /** Output that makes an empty terminal of this size show the screen at that time. */
    screen: z.string(),
  })
  .meta({ id: 'Keyframe' })
export type Keyframe = z.infer<typeof Keyframe>

/** Commands that a preview names; it counts the others. */
export const PREVIEW_COMMANDS = 5

export const RecordingPreview = z
  .object({
    state: RecordingIndex.shape.state,
    /** Whether the recording has been read through: screen and commands are known only then. */
    indexed: z.boolean(),
    /** Time of the last event in seconds; 0 before the recording is indexed. */
    seconds: z.number().min(0),
    commands: z.object({
      /** Commands typed in the shell, where it marks them. */
      total: z.number().int().min(0),
      /** The last of them, the latest last. */
      last: RecordingIndex.shape.commands,
    }),
    /** Files that the whole session uploaded or downloaded. */
    files: z.number().int().min(0),
    /**
     * The last screen: sizes of the terminal in order, each with the output to write at that size into a terminal that
     * was empty at first. Null before the recording is indexed.
     */
    screen: z
      .array(z.object({ columns: z.number().int().min(0), rows: z.number().int().min(0), output: z.string() }))
      .nullable(),
  })
  .meta({ id: 'RecordingPreview' })
export type RecordingPreview = z.infer<typeof RecordingPreview>

/** Programs that a summary names. */
export const SUMMARY_PROGRAMS = 5

export const RecordingSummary = z
  .object({
    /** Time of the last event. */
    seconds: z.number().min(0),
    /** Silences of two seconds or more, added up. */
    idle_seconds: z.number().min(0),
    /** Commands that were typed where the shell marks them (OSC 133), or the one that was run without a shell. */
    commands: z.number().int().min(0),
    /** Those that ended with another status than 0; null where the shell tells none. */
    failed_commands: z.number().int().min(0).nullable(),
    /** What the commands started most often, without arguments. */
    programs: z.array(z.object({ name: z.string(), count: z.number().int().min(1) })),
    /** Of the recording as asciicast version 3, hex. */
    sha256: z.string(),
  })
  .meta({ id: 'RecordingSummary' })
export type RecordingSummary = z.infer<typeof RecordingSummary>

export const ListedRecording = z
  .object({
    session: SessionUid,
    seat: z.number().int().min(0),
    device_uid: DeviceUid,
    device: z.object({ uid: DeviceUid, name: z.string() }).nullable(),
    /** Account on the device. */
    username: z.string(),
    ip_address: z.string(),
    person: z.object({ id: UserId, name: z.string() }).nullable(),
    state: RecordingIndex.shape.state,
    started_at: Time,
    /** Null while it is written. */
    ended_at: Time.nullable(),
    bytes: z.number().int().min(0),
    /** Run instead of a shell; '' for a shell. */
    command: z.string(),
    /** Whether the server has read it through, which makes the summary. */
    read: z.boolean(),
    /** Null before, where it cannot be read, and where an earlier version has read it. */
    summary: RecordingSummary.nullable(),
    /** Why the session ended; null while it is active. */
    closed: z.object({ at: Time, by: z.string(), reason: z.string(), message: z.string() }).nullable(),
  })
  .meta({ id: 'ListedRecording' })
export type ListedRecording = z.infer<typeof ListedRecording>

export const RecordingHit = z
  .object({
    session: SessionUid,
    seat: z.number().int(),
    device_uid: DeviceUid,
    /** Account on the device. */
    username: z.string(),
    kind: z.enum(['command', 'output']),
    /** Time to seek to, since the start of the recording. */
    seconds: z.number().min(0),
    at: Time,
    /** The matching line. */
    snippet: z.string(),
    /** Positions of the matches in the snippet: first character, and one past the last. */
    matches: z.array(z.object({ from: z.number().int(), to: z.number().int() })),
  })
  .meta({ id: 'RecordingHit' })
export type RecordingHit = z.infer<typeof RecordingHit>

export const RecordingKey = z
  .object({
    /** Thumbprint (RFC 7638); the identity in a recording names it as `key`. */
    id: z.string(),
    /** SubjectPublicKeyInfo. */
    pem: z.string(),
    /** An OpenSSH public key line. */
    ssh: z.string(),
    /** RFC 8037. */
    jwk: z.object({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: z.string(), kid: z.string() }),
  })
  .meta({ id: 'RecordingKey' })
export type RecordingKey = z.infer<typeof RecordingKey>

export const RecordingKeyPeriod = RecordingKey.extend({
  /** Start of its signing period. */
  valid_from: Time,
  /** When it was superseded; null for the current key. */
  valid_to: Time.nullable(),
}).meta({ id: 'RecordingKeyPeriod' })
export type RecordingKeyPeriod = z.infer<typeof RecordingKeyPeriod>
