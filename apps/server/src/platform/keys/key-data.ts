// Parses public keys as clients send them: base64 of an authorized_keys line. Pure.
import { createHash } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import { parsePublicKey } from '@bowline/ssh/keys/public-key'

export interface KeyData {
  /** MD5 of the wire encoding as sixteen pairs of hex digits. */
  readonly fingerprint: string
  /** SSH wire encoding. */
  readonly blob: Buffer
  /** Base64 of `type key\n`: without options and comment. */
  readonly data: string
}

/**
 * @param data base64 of a line in OpenSSH's format
 * @throws {BowlineError} INVALID_KEY_DATA when it is not base64; INVALID_INPUT when no login is possible with the key
 */
export function readKeyData(data: string): KeyData {
  if (!/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(data)) fail('INVALID_KEY_DATA', {}, ['data'])
  const line = Buffer.from(data, 'base64').toString('utf8').trim()
  const match = /(?:^|\s)((?:ssh-|ecdsa-|sk-)[\w@.-]+)\s+([A-Za-z0-9+/]+={0,2})(?:\s|$)/.exec(line)
  const [, type = '', base64 = ''] = match ?? []
  const blob = Buffer.from(base64, 'base64')
  const rule = match && refusal(type, blob)
  if (!match || rule !== undefined) {
    const why = rule ?? 'must be a public key in OpenSSH format'
    return fail('INVALID_INPUT', { field: 'data', rule: why }, ['data'])
  }
  return {
    fingerprint: fingerprintOf(blob),
    blob,
    data: Buffer.from(`${type} ${blob.toString('base64')}\n`).toString('base64'),
  }
}

/** MD5 fingerprint; the API identifies keys by it. */
export function fingerprintOf(blob: Uint8Array): string {
  const hex = createHash('md5').update(blob).digest('hex')
  return (hex.match(/../g) ?? []).join(':')
}

/** SHA-256 as `ssh-keygen -l` prints it for a wire encoding: `SHA256:` and base64 without padding. */
export function sha256FingerprintOf(bytes: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(bytes).digest('base64').replaceAll('=', '')}`
}

/** Reason why a key cannot be used to log in, or undefined. */
function refusal(type: string, blob: Uint8Array): string | undefined {
  try {
    const parsed = parsePublicKey(blob)
    return parsed.type === type ? undefined : 'names another type than the key has'
  } catch (error) {
    return `is no key that may log in: ${error instanceof Error ? error.message : String(error)}`
  }
}
