// chacha20-poly1305@openssh.com (OpenSSH's PROTOCOL.chacha20poly1305): the length field has a key of its own, the
// Poly1305 key is the first block of the packet's key stream, and the MAC covers the encrypted length and payload.
import { createCipheriv, createMac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { FirstBlock } from './chacha20-block.ts'
import { freeMemory } from '../free-memory.ts'
import { BadPacket } from './packet-cipher.ts'
import type { PacketOpener, PacketSealer } from './packet-cipher.ts'

// The installed type definitions predate this function of Node 26.
declare module 'node:crypto' {
  interface Mac {
    update(bytes: Uint8Array): this
    final(): Buffer
  }
  function createMac(algorithm: 'poly1305', key: Uint8Array): Mac
}

export const CHACHA20_POLY1305_KEY_BYTES = 64

const TAG_BYTES = 16

/** State of both directions that depends only on the key. */
function keyed(key: Buffer) {
  const payloadKey = createSecretKey(key.subarray(0, 32))
  const payloadBlock = new FirstBlock(key.subarray(0, 32))
  const lengthBlock = new FirstBlock(key.subarray(32, 64))
  // OpenSSL's layout: block counter (little-endian; 1, after the MAC key's block) and nonce.
  const iv = Buffer.alloc(16)
  iv[0] = 1
  const macKey = Buffer.alloc(32)
  return {
    lengthBlock,
    cipher: (sequence: number) => {
      iv.writeUInt32BE(sequence, 12)
      return createCipheriv('chacha20', payloadKey, iv)
    },
    mac: (sequence: number) => {
      payloadBlock.macKey(sequence, macKey)
      return createMac('poly1305', macKey)
    },
  }
}

/** @param key 64 bytes: payload key, then length key */
export function chachaSealer(key: Buffer): PacketSealer {
  const { lengthBlock, cipher, mac } = keyed(key)
  return {
    blockBytes: 8,
    alignsLength: false,
    seal(packet, sequence, out, at) {
      out.writeInt32BE(packet.readInt32BE(0) ^ lengthBlock.lengthMask(sequence), at)
      const sealed = cipher(sequence).update(packet.subarray(4))
      out.set(sealed, at + 4)
      freeMemory(sealed)
      const end = at + packet.length
      out.set(mac(sequence).update(out.subarray(at, end)).final(), end)
      return end + TAG_BYTES
    },
  }
}

/** @param key 64 bytes: payload key, then length key */
export function chachaOpener(key: Buffer): PacketOpener {
  const { lengthBlock, cipher, mac } = keyed(key)
  return {
    blockBytes: 8,
    alignsLength: false,
    tagBytes: TAG_BYTES,
    length: (head, sequence) => (head.readInt32BE(0) ^ lengthBlock.lengthMask(sequence)) >>> 0,
    open(packet, sequence) {
      const tagAt = packet.length - TAG_BYTES
      const tag = mac(sequence).update(packet.subarray(0, tagAt)).final()
      if (!timingSafeEqual(tag, packet.subarray(tagAt))) throw new BadPacket('the authentication tag does not match')
      return cipher(sequence).update(packet.subarray(4, tagAt))
    },
  }
}
