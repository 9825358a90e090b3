// aes128-ctr and aes256-ctr (RFC 4344 section 4) with hmac-sha2-256 and hmac-sha2-512 (RFC 6668), encrypt-and-MAC as in
// RFC 4253 section 6.4: the MAC covers the plaintext packet, so its length must be decrypted before anything is
// authenticated. Only offered to old clients, where the embedding program allows it.
import { createCipheriv, timingSafeEqual } from 'node:crypto'
import { macOf } from './aes-ctr-etm.ts'
import type { CtrKeys } from './aes-ctr-etm.ts'
import { freeMemory } from '../free-memory.ts'
import { BadPacket } from './packet-cipher.ts'
import type { PacketOpener, PacketSealer } from './packet-cipher.ts'

export function ctrHmacSealer(keys: CtrKeys): PacketSealer {
  const mac = macOf(keys)
  const cipher = createCipheriv(keys.cipherName, keys.key, keys.iv)
  return {
    blockBytes: 16,
    alignsLength: true,
    seal(packet, sequence, out, at) {
      const tag = mac(sequence, packet)
      const sealed = cipher.update(packet)
      out.set(sealed, at)
      freeMemory(sealed)
      const end = at + packet.length
      out.set(tag, end)
      return end + tag.length
    },
  }
}

export function ctrHmacOpener(keys: CtrKeys): PacketOpener {
  const mac = macOf(keys)
  // Counter mode decrypts by encrypting, and any number of bytes at a time.
  const cipher = createCipheriv(keys.cipherName, keys.key, keys.iv)
  const tagBytes = keys.hashName === 'sha256' ? 32 : 64
  let head: Buffer = Buffer.alloc(4)
  return {
    blockBytes: 16,
    alignsLength: true,
    tagBytes,
    length(sealedHead) {
      head = cipher.update(sealedHead)
      return head.readUInt32BE(0)
    },
    open(packet, sequence) {
      const tagAt = packet.length - tagBytes
      const opened = cipher.update(packet.subarray(4, tagAt))
      const tag = mac(sequence, head, opened)
      if (!timingSafeEqual(tag, packet.subarray(tagAt))) throw new BadPacket('the MAC does not match')
      return opened
    },
  }
}
