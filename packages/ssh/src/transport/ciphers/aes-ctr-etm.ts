// aes128-ctr and aes256-ctr (RFC 4344 section 4) with hmac-sha2-*-etm@openssh.com: the MAC covers the sequence number,
// the clear length and the encrypted packet, and is checked before anything is decrypted.
import { createCipheriv, createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { freeMemory } from '../free-memory.ts'
import { BadPacket } from './packet-cipher.ts'
import type { PacketOpener, PacketSealer } from './packet-cipher.ts'

/** Key material of one direction. */
export interface CtrKeys {
  readonly cipherName: 'aes-128-ctr' | 'aes-256-ctr'
  readonly key: Buffer
  /** 16 bytes. */
  readonly iv: Buffer
  readonly hashName: 'sha256' | 'sha512'
  readonly macKey: Buffer
}

/** A function from sequence number and the packet's bytes, in one or two parts, to the MAC. */
export function macOf(keys: CtrKeys): (sequence: number, head: Buffer, rest?: Buffer) => Buffer {
  const secret = createSecretKey(keys.macKey)
  const counter = Buffer.alloc(4)
  return (sequence, head, rest) => {
    counter.writeUInt32BE(sequence)
    const mac = createHmac(keys.hashName, secret).update(counter).update(head)
    return (rest ? mac.update(rest) : mac).digest()
  }
}

export function ctrEtmSealer(keys: CtrKeys): PacketSealer {
  const mac = macOf(keys)
  const cipher = createCipheriv(keys.cipherName, keys.key, keys.iv)
  return {
    blockBytes: 16,
    alignsLength: false,
    seal(packet, sequence, out, at) {
      packet.copy(out, at, 0, 4)
      const sealed = cipher.update(packet.subarray(4))
      out.set(sealed, at + 4)
      freeMemory(sealed)
      const end = at + packet.length
      const tag = mac(sequence, out.subarray(at, end))
      out.set(tag, end)
      return end + tag.length
    },
  }
}

export function ctrEtmOpener(keys: CtrKeys): PacketOpener {
  const mac = macOf(keys)
  // Counter mode decrypts by encrypting.
  const cipher = createCipheriv(keys.cipherName, keys.key, keys.iv)
  const tagBytes = keys.hashName === 'sha256' ? 32 : 64
  return {
    blockBytes: 16,
    alignsLength: false,
    tagBytes,
    length: (head) => head.readUInt32BE(0),
    open(packet, sequence) {
      const tagAt = packet.length - tagBytes
      const tag = mac(sequence, packet.subarray(0, tagAt))
      if (!timingSafeEqual(tag, packet.subarray(tagAt))) throw new BadPacket('the MAC does not match')
      return cipher.update(packet.subarray(4, tagAt))
    },
  }
}
