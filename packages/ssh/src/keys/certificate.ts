// OpenSSH user certificates (PROTOCOL.certkeys): parsing, and the checks that need no cryptography. Pure.
import { WireError, WireReader } from '../wire/reader.ts'
import { readKeyFields } from './public-key.ts'
import type { PublicKey } from './public-key.ts'

const SUFFIX = '-cert-v01@openssh.com'
const TYPE_USER = 1
const MAX_PRINCIPALS = 256
const MAX_OPTIONS = 64

/** Critical options we know; a certificate with any other must be refused. */
export interface CriticalOptions {
  forceCommand?: string
  /** Comma-separated addresses and CIDR blocks. */
  sourceAddress?: string
  verifyRequired?: boolean
}

export interface Certificate {
  /** The certified key. */
  readonly key: PublicKey
  readonly serial: bigint
  readonly keyId: string
  readonly principals: readonly string[]
  /** Seconds since the epoch: valid from (inclusive) and until (exclusive). */
  readonly validAfter: bigint
  readonly validBefore: bigint
  readonly options: CriticalOptions
  readonly extensions: readonly string[]
  /** Wire encoding of the authority's public key. */
  readonly authority: Uint8Array
  /** The bytes the authority signed, and its signature blob. */
  readonly signedPart: Uint8Array
  readonly signature: Uint8Array
}

/**
 * The plain name behind a certificate's type or signature algorithm, or undefined when `name` is not a certificate's.
 */
export function plainNameOf(name: string): string | undefined {
  if (!name.endsWith(SUFFIX)) return undefined
  const stem = name.slice(0, -SUFFIX.length)
  // FIDO types carry the domain once, after the suffix.
  return stem.startsWith('sk-') ? `${stem}@openssh.com` : stem
}

function readTexts(packed: Uint8Array, field: string): string[] {
  const reader = new WireReader(packed)
  const texts: string[] = []
  while (reader.remaining > 0) {
    if (texts.length === MAX_PRINCIPALS) throw new WireError(`${field}: more than ${MAX_PRINCIPALS}`)
    texts.push(reader.text(field, 256))
  }
  return texts
}

/** Name and packed data of each option; names must be distinct. */
function readOptions(packed: Uint8Array, field: string): Map<string, Uint8Array> {
  const reader = new WireReader(packed)
  const options = new Map<string, Uint8Array>()
  while (reader.remaining > 0) {
    const name = reader.text(field, 256)
    if (options.has(name)) throw new WireError(`${field}: named twice`)
    if (options.size === MAX_OPTIONS) throw new WireError(`${field}: more than ${MAX_OPTIONS}`)
    options.set(name, reader.string(field))
  }
  return options
}

function criticalOptions(packed: Uint8Array): CriticalOptions {
  const known: CriticalOptions = {}
  for (const [name, value] of readOptions(packed, 'critical option')) {
    const reader = new WireReader(value)
    if (name === 'force-command') known.forceCommand = reader.text(name)
    else if (name === 'source-address') known.sourceAddress = reader.text(name)
    else if (name === 'verify-required') known.verifyRequired = true
    else throw new WireError('critical option: not supported')
    reader.end('critical option')
  }
  return known
}

/**
 * Reads a user certificate. Neither its signature nor its validity is checked here.
 * @throws {WireError} when it is malformed, a host certificate, or has a critical option we do not know
 */
export function parseCertificate(blob: Uint8Array): Certificate {
  const reader = new WireReader(blob)
  const plainType = plainNameOf(reader.text('certificate type', 64))
  if (plainType === undefined) throw new WireError('certificate type: not a certificate')
  reader.string('nonce', 256)
  const key = readKeyFields(plainType, reader)
  const serial = reader.uint64('serial')
  if (reader.uint32('certificate kind') !== TYPE_USER) throw new WireError('certificate kind: not for users')
  const keyId = reader.text('key id', 1_024)
  const principals = readTexts(reader.string('principals'), 'principal')
  const validAfter = reader.uint64('valid after')
  const validBefore = reader.uint64('valid before')
  const options = criticalOptions(reader.string('critical options'))
  const extensions = [...readOptions(reader.string('extensions'), 'extension').keys()]
  reader.string('reserved')
  const authority = reader.string('authority key')
  const signedPart = blob.subarray(0, blob.length - reader.remaining)
  const signature = reader.string('authority signature')
  reader.end('certificate')
  const validity = { serial, keyId, principals, validAfter, validBefore }
  return { key, ...validity, options, extensions, authority, signedPart, signature }
}
