// Issues OpenSSH user certificates (PROTOCOL.certkeys) for Ed25519 keys. Node only.
import { randomBytes } from 'node:crypto'
import type { HostKey } from './host-key.ts'
import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'

/** Type of the certificates, which is also the name of their signature algorithm. */
export const ED25519_CERTIFICATE = 'ssh-ed25519-cert-v01@openssh.com'
const TYPE_USER = 1

export interface UserCertificateFields {
  /** What a server writes into its log. */
  readonly keyId: string
  /** Accounts that it is for; at least one. */
  readonly principals: readonly string[]
  /** Seconds since the epoch: valid from (inclusive) and until (exclusive). */
  readonly validAfter: number
  readonly validBefore: number
  /** What the login may do, e.g. `permit-pty`; sshd takes them in alphabetical order. */
  readonly extensions: readonly string[]
}

/**
 * @param blob wire encoding of the Ed25519 key to certify
 * @param authority signs it
 * @returns wire encoding of the certificate
 * @throws {TypeError} for a key of another type, or without a principal: it would be for everybody
 */
export function issueUserCertificate(
  blob: Uint8Array,
  { keyId, principals, validAfter, validBefore, extensions }: UserCertificateFields,
  authority: HostKey,
): Uint8Array {
  const reader = new WireReader(blob)
  if (reader.text('key type', 64) !== 'ssh-ed25519') throw new TypeError('certificate: the key must be Ed25519')
  if (principals.length === 0) throw new TypeError('certificate: a principal is required')
  const key = reader.string('key')
  const [algorithm = ''] = authority.algorithms
  const signedPart = new WireWriter(512)
    .string(ED25519_CERTIFICATE)
    .string(randomBytes(32))
    .string(key)
    .uint64(0n)
    .uint32(TYPE_USER)
    .string(keyId)
    .string(packed(principals, (writer, name) => writer.string(name)))
    .uint64(BigInt(validAfter))
    .uint64(BigInt(validBefore))
    .string('')
    .string(packed(extensions, (writer, name) => writer.string(name).string('')))
    .string('')
    .string(authority.blob)
    .done()
  const signature = authority.sign(algorithm, signedPart)
  return new WireWriter(signedPart.length + 128).bytes(signedPart).string(signature).done()
}

function packed(names: readonly string[], write: (writer: WireWriter, name: string) => WireWriter): Uint8Array {
  const writer = new WireWriter()
  for (const name of names) write(writer, name)
  return writer.done()
}
