// SQL of session data for comparison with a recording.
import { createPublicKey } from 'node:crypto'
import type { DeviceUid, SessionUid } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { sha256FingerprintOf } from '../platform/keys/key-data.ts'

export interface SessionFacts {
  readonly device: DeviceUid
  /** Account on the device. */
  readonly user: string
  /** The client's address. */
  readonly address: string
  /** PEM from the row, untrusted: the database may have been modified. */
  readonly devicePem: string
}

/** @returns undefined for an unknown session */
export async function findSessionFacts(db: Kysely<Schema>, uid: SessionUid): Promise<SessionFacts | undefined> {
  const row = await db
    .selectFrom('sessions')
    .innerJoin('devices', 'devices.uid', 'sessions.device_uid')
    .select(['sessions.device_uid', 'sessions.username', 'sessions.ip_address', 'devices.public_key'])
    .where('sessions.uid', '=', uid)
    .executeTakeFirst()
  return (
    row && {
      device: row.device_uid,
      user: row.username,
      address: row.ip_address,
      devicePem: row.public_key,
    }
  )
}

/**
 * SHA-256 of the key's SubjectPublicKeyInfo in OpenSSH's form: `SHA256:` and base64 without padding.
 * @throws for an invalid public key
 */
export function fingerprintOf(pem: string): string {
  const spki = createPublicKey(pem).export({ type: 'spki', format: 'der' })
  return sha256FingerprintOf(spki)
}
