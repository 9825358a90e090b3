// The identity of a recording: a comment in the first chunk, so that the chunk's signature covers it. Comparing it with
// the database detects rows that were modified or swapped.

/** Facts known to the recorder when the recording began. */
export interface Identity {
  /** Id of the recording. */
  readonly recording: string
  /** Id of the key that signs the recording. */
  readonly key: string
  /** Id of the namespace. */
  readonly tenant: string
  readonly session: string
  /** Index of the channel on its connection, from 0. */
  readonly seat: number
  /** Uid of the device. */
  readonly device: string
  /** `SHA256:` and the base64 of the hash of the device's public key (SPKI). */
  readonly device_key: string
  /** Account on the device. */
  readonly user: string
  /** Network address of the user. */
  readonly address: string
  /** Time in ISO 8601, with milliseconds. */
  readonly started_at: string
  /** The command run instead of a shell; '' for a shell. */
  readonly command: string
}

/** An identity as stored in a recording. */
export interface SealedIdentity {
  readonly identity: Identity
  /** Its JSON, byte for byte. */
  readonly text: string
}

const LINE = /^# identity (\{[^\n]*\})\n$/
const TEXTS = [
  'recording',
  'key',
  'tenant',
  'session',
  'device',
  'device_key',
  'user',
  'address',
  'started_at',
  'command',
] as const satisfies readonly (keyof Identity)[]

/** The identity line, and the JSON in it. */
export function identityLine(identity: Identity): { readonly line: string; readonly text: string } {
  const text = JSON.stringify(identity)
  return { line: `# identity ${text}\n`, text }
}

/**
 * Parses an identity line; undefined for any other line.
 * @param line with its newline
 */
export function readIdentityLine(line: string): SealedIdentity | undefined {
  const text = LINE.exec(line)?.[1]
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isIdentity(value) ? { identity: value, text } : undefined
  } catch {
    return undefined
  }
}

function isIdentity(value: unknown): value is Identity {
  if (typeof value !== 'object' || value === null) return false
  const fields: Readonly<Record<string, unknown>> = { ...value }
  return typeof fields['seat'] === 'number' && TEXTS.every((name) => typeof fields[name] === 'string')
}
