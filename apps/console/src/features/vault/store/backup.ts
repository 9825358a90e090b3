// A backup of the store: one file with its records as they are, encrypted. It opens for the same person on the same server,
// by what unlocked the store when it was saved.
import { fromBase64url, toBase64url } from '@bowline/ssh/keys/jwk'
import { z } from 'zod'
import { KeyRecord, VAULT_VERSION, VaultHeader } from './records.ts'
import { VaultError } from './vault-error.ts'

const FORMAT = 'bowline-keys'
const MAX_KEYS = 1_000

/** Largest file that is read, in bytes. */
export const MAX_BACKUP_BYTES = 4 * 1024 * 1024

const Backup = z.object({
  format: z.literal(FORMAT),
  /** Origin of the console, to which records are bound. */
  origin: z.string(),
  header: VaultHeader,
  keys: z.array(KeyRecord).max(MAX_KEYS),
})
export type Backup = z.infer<typeof Backup>

/** Records of other versions have a version as well. */
const AnyVersion = z.object({ format: z.literal(FORMAT), header: z.object({ version: z.number() }) })

/** @returns JSON: bytes are objects with `base64url` */
export function writeBackup(backup: Omit<Backup, 'format'>): string {
  const bytes = (_name: string, value: unknown): unknown =>
    value instanceof Uint8Array ? { base64url: toBase64url(value) } : value
  return JSON.stringify({ format: FORMAT, ...backup }, bytes, 2)
}

/** @throws {VaultError} `no-backup`, `backup-version`, or `of-another` person or server */
export function readBackup(text: string, of: { readonly origin: string; readonly person: string }): Backup {
  const content = parse(text)
  const read = Backup.safeParse(content)
  if (!read.success) {
    const other = AnyVersion.safeParse(content)
    throw new VaultError(other.success && other.data.header.version !== VAULT_VERSION ? 'backup-version' : 'no-backup')
  }
  const { origin, header, keys } = read.data
  if (origin !== of.origin || header.person !== of.person) throw new VaultError('of-another')
  if (keys.some(({ person, vault }) => person !== header.person || vault !== header.id))
    throw new VaultError('no-backup')
  return read.data
}

function parse(text: string): unknown {
  const toBytes = (_name: string, value: unknown): unknown => {
    const bytes = EncodedBytes.safeParse(value)
    return bytes.success ? fromBase64url(bytes.data.base64url) : value
  }
  try {
    return JSON.parse(text, toBytes)
  } catch (error) {
    throw new VaultError('no-backup', { cause: error })
  }
}

const EncodedBytes = z.strictObject({ base64url: z.base64url() })
