// SSH_MSG_EXT_INFO (RFC 8308): as our server sends it after its first NEWKEYS, and as our client reads it.
import { MSG_EXT_INFO } from '../wire/numbers.ts'
import { WireReader } from '../wire/reader.ts'
import { WireWriter } from '../wire/writer.ts'

/** @param signatureAlgorithms accepted for user keys, RFC 8308 section 3.1 */
export function encodeExtInfo(signatureAlgorithms: readonly string[]): Uint8Array {
  return new WireWriter(512)
    .byte(MSG_EXT_INFO)
    .uint32(3)
    .string('server-sig-algs')
    .nameList(signatureAlgorithms)
    .string('publickey-hostbound@openssh.com')
    .string('0')
    .string('ping@openssh.com')
    .string('0')
    .done()
}

/** More extensions than this are not read. */
const MAX_EXTENSIONS = 32
const LIST_BYTES = 8_192

/**
 * Reads the EXT_INFO of a server.
 * @returns the signature algorithms of `server-sig-algs` (RFC 8308 section 3.1); undefined when it names none
 * @throws {WireError} when it is malformed
 */
export function decodeExtInfo(payload: Uint8Array): readonly string[] | undefined {
  const reader = new WireReader(payload, 1)
  const count = Math.min(reader.uint32('number of extensions'), MAX_EXTENSIONS)
  for (let index = 0; index < count; index += 1) {
    const name = reader.text('extension name', 256)
    if (name === 'server-sig-algs') return reader.nameList('signature algorithms', LIST_BYTES)
    reader.string('extension value')
  }
  return undefined
}
