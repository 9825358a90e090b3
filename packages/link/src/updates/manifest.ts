// The manifest of a release of the agent: which archive is for which platform, its hash, and a number that grows with
// each release. Signed with the release key (Ed25519), which no server needs: a server passes the manifest on, and the
// device verifies it with the key that it was installed with.
import { type KeyObject, createPublicKey, sign, verify } from 'node:crypto'
import * as z from 'zod'

/** Longest manifest that is read, in bytes. */
export const MAX_MANIFEST_BYTES = 64 * 1024
/** Largest archive that is fetched, and largest content that is unpacked, in bytes. */
export const MAX_BUNDLE_BYTES = 256 * 1024 * 1024
export const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024

/** DER of an Ed25519 public key up to its 32 bytes (RFC 8410, section 4). */
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex')

/** Raw 32 bytes of an Ed25519 public key, base64url. */
export const UpdateKey = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be an Ed25519 public key, base64url')
const Signature = z.string().regex(/^[A-Za-z0-9_-]{86}$/)

const Archive = z.object({
  /** Name of the archive below the server's `/agent/`. */
  file: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/),
  /** Bytes of the archive. */
  size: z.int().min(1).max(MAX_BUNDLE_BYTES),
  /** SHA-256 of the archive, hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
export type ManifestArchive = z.infer<typeof Archive>

const Bundle = Archive.extend({
  /** Bytes of what it unpacks to. */
  unpacked: z.int().min(1).max(MAX_UNPACKED_BYTES),
  /** The same content, compressed by zstd (RFC 8878): agents that know it fetch this one. */
  small: Archive.optional(),
})
export type ManifestBundle = z.infer<typeof Bundle>

/** A package of the same release, which no agent fetches: package managers do, and people verify it by this. */
const Package = z.object({
  /** Debian's names have `~` and `+`. */
  file: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._~+-]{0,127}$/),
  size: z.int().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})

export const AgentManifest = z.object({
  /** Tells a signed manifest from all else that the key signs. */
  format: z.literal('bowline agents v1'),
  /** Grows with each release: a device never goes back to a smaller one. */
  release: z.int().min(1),
  version: z.string().min(1).max(64),
  /** Smallest release that may update to this one directly. */
  minimum_release: z.int().min(0),
  /** The key that signs this manifest. */
  key: UpdateKey,
  /** Chain of earlier keys to this one, oldest first: each is signed by the one before it. */
  rotations: z.array(z.object({ key: UpdateKey, signature: Signature })).max(64),
  /** By platform, as `linux-x64`. */
  bundles: z.record(z.string().regex(/^[a-z0-9-]{1,32}$/), Bundle),
  packages: z.record(z.string().regex(/^[a-z0-9-]{1,32}$/), Package).optional(),
})
export type AgentManifest = z.infer<typeof AgentManifest>
export type KeyRotation = AgentManifest['rotations'][number]

/** A verified manifest, or why it is none. */
export type Verified = { readonly manifest: AgentManifest } | { readonly fault: string }

/**
 * @param bytes as they were signed
 * @param signature of the bytes (RFC 8032, 64 bytes)
 * @param trusted key that signed it, or an earlier one that its rotations lead from
 */
export function verifyManifest(bytes: Uint8Array, signature: Uint8Array, trusted: string): Verified {
  if (bytes.length > MAX_MANIFEST_BYTES) return { fault: 'the manifest is too long' }
  const parsed = AgentManifest.safeParse(jsonOf(bytes))
  if (!parsed.success) return { fault: 'it is not a manifest that this version reads' }
  const { key, rotations } = parsed.data
  if (afterRotations(trusted, rotations) !== key) {
    return { fault: 'it is signed by a key that the trusted one does not lead to' }
  }
  return isSigned(key, bytes, signature) ? { manifest: parsed.data } : { fault: 'its signature is wrong' }
}

/** The latest key that the trusted one leads to. Rotations before the trusted key prove nothing and are passed over. */
function afterRotations(trusted: string, rotations: readonly KeyRotation[]): string {
  let current = trusted
  for (const { key, signature } of rotations) {
    if (isSigned(current, rotationText(key), Buffer.from(signature, 'base64url'))) current = key
  }
  return current
}

/** @param privateKey Ed25519 @returns 64 bytes */
export function signManifest(privateKey: KeyObject, bytes: Uint8Array): Buffer {
  return sign(null, bytes, privateKey)
}

/** The statement of the present key that another one follows it. @param next from {@link updateKeyOf} */
export function signRotation(present: KeyObject, next: string): KeyRotation {
  return { key: next, signature: sign(null, rotationText(next), present).toString('base64url') }
}

/**
 * The public half of a key as manifests and settings have it.
 * @param key private or public
 * @throws {Error} when it is not an Ed25519 key
 */
export function updateKeyOf(key: KeyObject): string {
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('the key is no Ed25519 key')
  const half = key.type === 'private' ? createPublicKey(key) : key
  return half.export({ type: 'spki', format: 'der' }).subarray(ED25519_SPKI.length).toString('base64url')
}

function rotationText(key: string): Buffer {
  return Buffer.from(`bowline agents: next key\n${key}\n`)
}

/** Never throws: key and signature are untrusted. */
function isSigned(key: string, bytes: Uint8Array, signature: Uint8Array): boolean {
  try {
    const der = Buffer.concat([ED25519_SPKI, Buffer.from(key, 'base64url')])
    return verify(null, bytes, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature)
  } catch {
    return false
  }
}

function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}
