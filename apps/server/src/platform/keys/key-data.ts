// A public key as people send it (base64 of an authorized_keys line) and as it is kept. Pure.
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
 * @throws {BowlineError} INVALID_KEY_DATA when it is not base64; INVALID_INPUT when it is no key that may log in
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

/** The old fingerprint that the API names keys by. */
export function fingerprintOf(blob: Uint8Array): string {
  const hex = createHash('md5').update(blob).digest('hex')
  return (hex.match(/../g) ?? []).join(':')
}

/** Why a key cannot log in, or undefined. */
function refusal(type: string, blob: Uint8Array): string | undefined {
  try {
    const parsed = parsePublicKey(blob)
    return parsed.type === type ? undefined : 'names another type than the key has'
  } catch (error) {
    return `is no key that may log in: ${error instanceof Error ? error.message : String(error)}`
  }
}
