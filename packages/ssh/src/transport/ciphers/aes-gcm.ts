// aes128-gcm@openssh.com and aes256-gcm@openssh.com: RFC 5647 with the nonce and length rules of OpenSSH's PROTOCOL.
import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto'
import type { CipherGCMTypes, KeyObject } from 'node:crypto'
import { freeMemory } from '../free-memory.ts'
import { BadPacket } from './packet-cipher.ts'
import type { PacketOpener, PacketSealer } from './packet-cipher.ts'

const TAG_BYTES = 16
const options = { authTagLength: TAG_BYTES }

// Sealing and opening are synchronous and node:crypto copies both, so all connections share these buffers.
const iv = Buffer.allocUnsafeSlow(12)
const aad = Buffer.allocUnsafeSlow(4)

/**
 * The nonces of one key: 4 fixed bytes and a 64-bit invocation counter (RFC 5647 section 7.1). Kept as numbers: a
 * buffer per connection would pin the pool slab that it is part of.
 */
class Nonces {
  readonly #fixed: number
  #high: number
  #low: number

  /** @param first 12 bytes */
  constructor(first: Buffer) {
    this.#fixed = first.readUInt32BE(0)
    this.#high = first.readUInt32BE(4)
    this.#low = first.readUInt32BE(8)
  }

  /** The next nonce, in a shared buffer; valid until the next call on any instance. */
  next(): Buffer {
    iv.writeUInt32BE(this.#fixed, 0)
    iv.writeUInt32BE(this.#high, 4)
    iv.writeUInt32BE(this.#low, 8)
    this.#low = (this.#low + 1) >>> 0
    if (this.#low === 0) this.#high = (this.#high + 1) >>> 0
    return iv
  }
}

/** @param nonce the 12-byte initial IV */
export function aesGcmSealer(cipherName: CipherGCMTypes, key: Buffer, nonce: Buffer): PacketSealer {
  const secret: KeyObject = createSecretKey(key)
  const nonces = new Nonces(nonce)
  return {
    blockBytes: 16,
    alignsLength: false,
    seal(packet, _sequence, out, at) {
      const cipher = createCipheriv(cipherName, secret, nonces.next(), options)
      const length = packet.readUInt32BE(0)
      aad.writeUInt32BE(length)
      cipher.setAAD(aad)
      out.writeUInt32BE(length, at)
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
  const nonces = new Nonces(nonce)
  return {
    blockBytes: 16,
    alignsLength: false,
    tagBytes: TAG_BYTES,
    length: (head) => head.readUInt32BE(0),
    open(packet) {
      const decipher = createDecipheriv(cipherName, secret, nonces.next(), options)
      const tagAt = packet.length - TAG_BYTES
      aad.writeUInt32BE(packet.readUInt32BE(0))
      decipher.setAAD(aad)
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
