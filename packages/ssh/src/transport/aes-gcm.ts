// aes128-gcm@openssh.com and aes256-gcm@openssh.com: RFC 5647 with the nonce and length rules of OpenSSH's PROTOCOL.
import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto'
import type { CipherGCMTypes, KeyObject } from 'node:crypto'
import { freeMemory } from './free-memory.ts'
import { BadPacket } from './packet-cipher.ts'
import type { PacketOpener, PacketSealer } from './packet-cipher.ts'

const TAG_BYTES = 16
const options = { authTagLength: TAG_BYTES }

/** Adds one to the 64-bit invocation counter behind the 4 fixed bytes (RFC 5647 section 7.1). */
function advance(nonce: Buffer): void {
  for (let at = 11; at >= 4; at -= 1) {
    const next = ((nonce[at] ?? 0) + 1) & 0xff
    nonce[at] = next
    if (next !== 0) return
  }
}

/** @param nonce the 12-byte initial IV */
export function aesGcmSealer(cipherName: CipherGCMTypes, key: Buffer, nonce: Buffer): PacketSealer {
  const secret: KeyObject = createSecretKey(key)
  const counter = Buffer.from(nonce)
  return {
    blockBytes: 16,
    alignsLength: false,
    seal(packet, _sequence, out, at) {
      const cipher = createCipheriv(cipherName, secret, counter, options)
      advance(counter)
      cipher.setAAD(packet.subarray(0, 4))
      packet.copy(out, at, 0, 4)
      const sealed = cipher.update(packet.subarray(4))
      out.set(sealed, at + 4)
      freeMemory(sealed)
      cipher.final()
      const end = at + packet.length
      out.set(cipher.getAuthTag(), end)
      return end + TAG_BYTES
    },
  }
}

/** @param nonce the 12-byte initial IV */
export function aesGcmOpener(cipherName: CipherGCMTypes, key: Buffer, nonce: Buffer): PacketOpener {
  const secret: KeyObject = createSecretKey(key)
  const counter = Buffer.from(nonce)
  return {
    blockBytes: 16,
    alignsLength: false,
    tagBytes: TAG_BYTES,
    length: (head) => head.readUInt32BE(0),
    open(packet) {
      const decipher = createDecipheriv(cipherName, secret, counter, options)
      advance(counter)
      const tagAt = packet.length - TAG_BYTES
      decipher.setAAD(packet.subarray(0, 4))
      decipher.setAuthTag(packet.subarray(tagAt))
      const opened = decipher.update(packet.subarray(4, tagAt))
      try {
        decipher.final()
      } catch {
        throw new BadPacket('the authentication tag does not match')
      }
      return opened
    },
  }
}
