// Schemas of the vault's records in IndexedDB: what another version or a defect has written must not pass for them.
import { z } from 'zod'

export const VAULT_VERSION = 1

/** OWASP's minimum for PBKDF2 with SHA-256; a stored vault that claims less has been tampered with. */
const MIN_ITERATIONS = 600_000
/** More would freeze the page for a minute. */
const MAX_ITERATIONS = 10_000_000

const Bytes = z.custom<Uint8Array<ArrayBuffer>>((value) => value instanceof Uint8Array, 'must be bytes')
const Id = z.string().min(1).max(64)

const wrapped = {
  id: Id,
  /** Input of the key derivation, random. */
  salt: Bytes,
  /** AES-GCM: nonce and ciphertext of the vault's data key. */
  iv: Bytes,
  wrapped: Bytes,
}

/** A way to unlock: the data key, encrypted under a key that a passphrase or a passkey gives. */
export const Way = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('passphrase'), ...wrapped, iterations: z.int().min(MIN_ITERATIONS).max(MAX_ITERATIONS) }),
  z.object({ kind: z.literal('passkey'), ...wrapped, name: z.string().max(64), credential: Bytes }),
])
export type Way = z.infer<typeof Way>
export type WayKind = Way['kind']

/** The vault of one person. */
export const VaultHeader = z.object({
  version: z.literal(VAULT_VERSION),
  person: z.string(),
  id: Id,
  /** The vault locks after so many minutes without input; 0: never by itself. */
  idleMinutes: z.int().min(0).max(1_440),
  ways: z.array(Way).min(1).max(16),
})
export type VaultHeader = z.infer<typeof VaultHeader>

/** One private key. Everything except the name is bound to the ciphertext. */
export const KeyRecord = z.object({
  person: z.string(),
  id: Id,
  vault: Id,
  name: z.string().max(64),
  /** SSH wire encoding of the public half, base64. */
  publicKey: z.string(),
  /** Milliseconds since 1970. */
  added: z.int().min(0).max(8_640_000_000_000_000),
  iv: Bytes,
  sealed: Bytes,
})
export type KeyRecord = z.infer<typeof KeyRecord>

/** The last sign-in with a key of the vault on a device. */
export const LastUse = z.object({ person: z.string(), device: z.string(), key: Id, username: z.string() })
export type LastUse = z.infer<typeof LastUse>
