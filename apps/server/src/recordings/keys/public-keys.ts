// Reads a server's public keys from a file, to verify recordings without that server.
import { type KeyObject, createPublicKey } from 'node:crypto'
import type { Identity } from '@bowline/asciicast/identity'
import { RecordingKeyPeriod } from '@bowline/contract/schemas/recording'
import * as z from 'zod'

export interface PublicKey {
  readonly key: KeyObject
  /** Period of its use, if the file has it. */
  readonly period?: Pick<RecordingKeyPeriod, 'id' | 'valid_from' | 'valid_to'>
}

/**
 * @param text one key as PEM, JWK or a line of OpenSSH, or the JSON of `GET /api/recordings/keys`
 * @throws {Error} when it is none of these
 */
export function readPublicKeys(text: string): PublicKey[] {
  const trimmed = text.trim()
  if (trimmed.startsWith('[')) {
    const list = z.array(RecordingKeyPeriod).parse(JSON.parse(trimmed))
    return list.map((period) => ({ key: createPublicKey({ format: 'jwk', key: period.jwk }), period }))
  }
  const [, base64] = /^ssh-ed25519 ([\w+/]+={0,2})/.exec(trimmed) ?? []
  const x = base64 === undefined ? undefined : Buffer.from(base64, 'base64').subarray(-32).toString('base64url')
  if (x !== undefined) return [{ key: createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } }) }]
  if (!trimmed.startsWith('{')) return [{ key: createPublicKey(text) }]
  return [{ key: createPublicKey({ format: 'jwk', key: JSON.parse(trimmed) }) }]
}

/** True if the recording's key was in use when the recording started, as far as the key file tells. */
export function isOfItsTime(keys: readonly PublicKey[], { key, started_at: start }: Identity): boolean {
  const periods = keys.flatMap(({ period }) => period ?? [])
  if (periods.length === 0) return true
  const at = Date.parse(start)
  return periods.some(
    ({ id, valid_from: from, valid_to: to }) =>
      id === key && at >= Date.parse(from) && (to === null || at <= Date.parse(to)),
  )
}
