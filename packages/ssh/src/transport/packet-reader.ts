// Splits the byte stream into packets and opens them. Holds at most one unfinished packet, so an idle or slow peer can
// claim at most one packet of memory; a length is checked before anything is allocated for it.
import { protocolFault } from '../fault.ts'
import { DISCONNECT_MAC_ERROR } from '../wire/numbers.ts'
import { BadPacket, CLEAR_OPENER } from './ciphers/packet-cipher.ts'
import type { PacketOpener } from './ciphers/packet-cipher.ts'

/** Largest packet_length before sign-in: RFC 4253 section 6.1 requires 35000; our data packets are at most 32 KiB. */
export const MAX_PACKET_LENGTH = 35_000
/** Largest packet_length after sign-in: the same as OpenSSH's, needed for long commands. */
export const MAX_SIGNED_IN_PACKET_LENGTH = 256 * 1024
/** padding_length, one byte of payload, four bytes of padding. */
const MIN_PACKET_LENGTH = 6
const MIN_PADDING = 4

/** Fits the largest usual packet with its length field and the longest tag. */
const REASSEMBLY_BYTES = 4 + MAX_PACKET_LENGTH + 64
/** Buffers kept for reuse by all connections of the process. */
const KEPT_BUFFERS = 32
const kept: Buffer[] = []

/**
 * Acquires a buffer for one packet; {@link release} pools it, which saves allocating and clearing memory per packet.
 */
function acquire(bytes: number): Buffer {
  return bytes > REASSEMBLY_BYTES
    ? Buffer.allocUnsafeSlow(bytes)
    : (kept.pop() ?? Buffer.allocUnsafeSlow(REASSEMBLY_BYTES))
}

function release(buffer: Buffer): void {
  if (kept.length < KEPT_BUFFERS && buffer.length === REASSEMBLY_BYTES) kept.push(buffer)
}

export class PacketReader {
  #opener: PacketOpener = CLEAR_OPENER
  #sequence = 0
  #stopped = false
  /** The length field while its four bytes are being collected. */
  #head: Buffer | undefined
  #headBytes = 0
  /** The packet being collected when it spans chunks. */
  #partial: Buffer | undefined
  #partialBytes = 0
  /** Size of that packet, known from its length field. */
  #totalBytes = 0
  /** Packets and bytes opened since the keys were installed. */
  packets = 0
  bytes = 0
  /** Largest accepted packet_length. */
  maxLength = MAX_PACKET_LENGTH

  /** Takes effect with the next packet. `resetSequence`: strict key exchange. */
  install(opener: PacketOpener, resetSequence: boolean): void {
    this.#opener = opener
    if (resetSequence) this.#sequence = 0
    this.packets = 0
    this.bytes = 0
  }

  /** Stops reading; buffered bytes are dropped. */
  stop(): void {
    this.#stopped = true
    if (this.#partial) release(this.#partial)
    this.#partial = undefined
  }

  /**
   * Reads bytes from the socket and calls `deliver` for each payload, in memory that the callee owns. `chunk` is not
   * retained.
   * @throws {Fault} `bad-packet-length`, `bad-padding` or `bad-mac`
   */
  push(chunk: Buffer, deliver: (payload: Buffer, sequence: number) => void): void {
    let at = 0
    while (at < chunk.length && !this.#stopped) {
      if (this.#partial) {
        at = this.#collect(this.#partial, chunk, at, deliver)
      } else if (this.#headBytes === 0 && chunk.length - at >= 4) {
        const total = this.#measure(chunk.subarray(at, at + 4))
        if (chunk.length - at >= total) {
          this.#open(chunk.subarray(at, at + total), deliver)
          at += total
        } else {
          this.#begin(total)
        }
      } else {
        at = this.#collectHead(chunk, at)
      }
    }
  }

  #begin(total: number): void {
    this.#partial = acquire(total)
    this.#partialBytes = 0
    this.#totalBytes = total
  }

  /** Appends to the packet being collected and opens it when it is complete; returns the new position. */
  #collect(partial: Buffer, chunk: Buffer, at: number, deliver: (payload: Buffer, sequence: number) => void): number {
    const end = Math.min(chunk.length, at + this.#totalBytes - this.#partialBytes)
    this.#partialBytes += chunk.copy(partial, this.#partialBytes, at, end)
    if (this.#partialBytes === this.#totalBytes) {
      this.#partial = undefined
      try {
        this.#open(partial.subarray(0, this.#totalBytes), deliver)
      } finally {
        release(partial)
      }
    }
    return end
  }

  /** Collects the four bytes of the length field when they span chunks. */
  #collectHead(chunk: Buffer, at: number): number {
    const head = (this.#head ??= Buffer.allocUnsafeSlow(4))
    const copied = chunk.copy(head, this.#headBytes, at)
    this.#headBytes += copied
    if (this.#headBytes === 4) {
      this.#head = undefined
      this.#headBytes = 0
      this.#begin(this.#measure(head))
      this.#partialBytes = this.#partial ? head.copy(this.#partial) : 0
    }
    return at + copied
  }

  /** Size of the whole packet in bytes: length field, packet and tag. */
  #measure(head: Buffer): number {
    const opener = this.#opener
    const length = opener.length(head, this.#sequence)
    const aligned = opener.alignsLength ? length + 4 : length
    if (length < MIN_PACKET_LENGTH || length > this.maxLength || aligned % opener.blockBytes !== 0) {
      throw protocolFault('bad-packet-length', 'The packet length is out of range or not a multiple of the block.')
    }
    return 4 + length + opener.tagBytes
  }

  #open(packet: Buffer, deliver: (payload: Buffer, sequence: number) => void): void {
    const sequence = this.#sequence
    const opened = this.#unseal(packet, sequence)
    this.#sequence = (sequence + 1) >>> 0
    this.packets += 1
    this.bytes += packet.length
    const padding = opened[0] ?? 0
    if (padding < MIN_PADDING || padding > opened.length - 2) {
      throw protocolFault('bad-padding', 'The padding length is out of range.')
    }
    deliver(opened.subarray(1, opened.length - padding), sequence)
  }

  #unseal(packet: Buffer, sequence: number): Buffer {
    try {
      return this.#opener.open(packet, sequence)
    } catch (error) {
      if (!(error instanceof BadPacket)) throw error
      throw protocolFault('bad-mac', 'A packet was damaged or forged.', DISCONNECT_MAC_ERROR)
    }
  }
}
