// SSH_MSG_EXT_INFO (RFC 8308) as the server sends it after its first NEWKEYS.
import { MSG_EXT_INFO } from '../wire/numbers.ts'
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
