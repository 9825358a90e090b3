// Pads and seals payloads (RFC 4253 section 6) and writes them to the socket in batches: one system call for everything
// produced in one event loop iteration.
import { randomFillSync } from 'node:crypto'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { BlockPool } from '@bowline/base/bytes/block-pool'
import { CLEAR_SEALER, MAX_TAG_BYTES } from './ciphers/packet-cipher.ts'
import type { PacketSealer } from './ciphers/packet-cipher.ts'

/** Length field, padding length, largest usual payload and largest padding. */
const SCRATCH_BYTES = 5 + 36_864 + 255
// Sealing is synchronous and copies, so all connections of the process share one plaintext buffer.
const usualScratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES)

const noise = Buffer.allocUnsafeSlow(8_192)
let noiseAt = noise.length

/** Copies `count` random bytes, drawn in bulk. */
function pad(into: Buffer, at: number, count: number): void {
  if (noiseAt + count > noise.length) {
    randomFillSync(noise)
    noiseAt = 0
  }
  noise.copy(into, at, noiseAt, noiseAt + count)
  noiseAt += count
}

/** Bytes that {@link PacketWriter.writeInPlace} overwrites before and after a payload. */
export const IN_PLACE_BEFORE = 5
export const IN_PLACE_AFTER = 32

/** Bytes written to the socket at once: four full packets. Each write may wake a client that has read all before it. */
const BATCH_BYTES = 136 * 1024

const blocks = new BlockPool(BATCH_BYTES, 16)
/**
 * A batch below this is copied into memory of its own size, so that a client that does not read does not pin much more
 * memory than it has bytes queued.
 */
const MIN_BLOCK_BYTES = 32 * 1024
const NO_PARTS: readonly Uint8Array[] = []

export class PacketWriter {
  readonly #socket: Duplex
  readonly #written: () => void
  #sealer: PacketSealer = CLEAR_SEALER
  #sequence = 0
  #batch: Buffer | undefined
  #batchBytes = 0
  /** Whether the socket has finished with a buffer when it calls back. */
  readonly #reuses: boolean
  #flushPlanned = false
  /** packet_length already sent ahead of its packet; 0: none. */
  #announced = 0
  /** Packets and bytes sealed since the keys were installed, and total bytes. */
  packets = 0
  bytes = 0
  totalBytes = 0

  /** @param written called when bytes have left the socket's queue */
  constructor(socket: Duplex, written: () => void) {
    this.#socket = socket
    this.#written = written
    this.#reuses = socket instanceof Socket
  }

  /** Takes effect with the next packet. `resetSequence`: strict key exchange. */
  install(sealer: PacketSealer, resetSequence: boolean): void {
    this.#sealer = sealer
    if (resetSequence) this.#sequence = 0
    this.packets = 0
    this.bytes = 0
  }

  /** Bytes waiting for the socket. */
  get queuedBytes(): number {
    return this.#batchBytes + this.#socket.writableLength
  }

  /** Writes bytes without packet framing: the identification line. */
  raw(bytes: Buffer): void {
    const batch = this.#room(bytes.length)
    this.#added(bytes.copy(batch, this.#batchBytes))
  }

  /**
   * Sends the length field of the next packet ahead of it; only while nothing is encrypted.
   * @param payloadBytes maximum size of its payload; up to 200 bytes fewer become padding
   */
  announce(payloadBytes: number): void {
    const length = 1 + payloadBytes + this.#padding(payloadBytes)
    this.#announced = length
    this.#room(4).writeUInt32BE(length, this.#batchBytes)
    this.#added(4)
  }

  /** Padding for a payload, in bytes (RFC 4253 section 6): at least four, up to a block boundary. */
  #padding(payloadBytes: number): number {
    const block = this.#sealer.blockBytes
    const counted = this.#sealer.alignsLength ? payloadBytes + 5 : payloadBytes + 1
    const padding = block - (counted % block)
    return padding < 4 ? padding + block : padding
  }

  /** Seals one payload, passed in parts so that channel data needs no joining first. They are copied. */
  write(head: Uint8Array, body: readonly Uint8Array[] = NO_PARTS): void {
    let payloadBytes = head.length
    for (const part of body) payloadBytes += part.length
    const announced = this.#announced
    const padding = announced === 0 ? this.#padding(payloadBytes) : announced - payloadBytes - 1
    const length = 1 + payloadBytes + padding
    const batch = this.#room(4 + length + MAX_TAG_BYTES)
    // Only the reply to a long ping is longer.
    const scratch = 4 + length > SCRATCH_BYTES ? Buffer.allocUnsafeSlow(4 + length) : usualScratch
    scratch.writeUInt32BE(length, 0)
    scratch[4] = padding
    scratch.set(head, 5)
    let at = 5 + head.length
    for (const part of body) {
      scratch.set(part, at)
      at += part.length
    }
    pad(scratch, 5 + payloadBytes, padding)
    this.#seal(scratch.subarray(0, 4 + length), batch)
  }

  /**
   * Seals the payload at `from` to `to` of `block` in place: {@link IN_PLACE_BEFORE} bytes before it and
   * {@link IN_PLACE_AFTER} after it are overwritten. The caller may reuse the block on return.
   */
  writeInPlace(block: Buffer, from: number, to: number): void {
    const padding = this.#padding(to - from)
    const batch = this.#room(5 + to - from + padding + MAX_TAG_BYTES)
    block.writeUInt32BE(1 + to - from + padding, from - 5)
    block[from - 1] = padding
    pad(block, to, padding)
    this.#seal(block.subarray(from - 5, to + padding), batch)
  }

  #seal(packet: Buffer, batch: Buffer): void {
    const at = this.#batchBytes
    let end = this.#sealer.seal(packet, this.#sequence, batch, at)
    if (this.#announced !== 0) {
      batch.copyWithin(at, at + 4, end)
      end -= 4
      this.#announced = 0
    }
    this.#sequence = (this.#sequence + 1) >>> 0
    this.packets += 1
    this.bytes += packet.length - 4
    this.#added(end - at)
  }

  /** The batch, with room for `bytes` more. */
  #room(bytes: number): Buffer {
    if (this.#batch && this.#batchBytes + bytes > BATCH_BYTES) this.flush()
    return (this.#batch ??= bytes > BATCH_BYTES ? Buffer.allocUnsafeSlow(bytes) : blocks.take())
  }

  #added(bytes: number): void {
    this.#batchBytes += bytes
    this.totalBytes += bytes
    if (this.#flushPlanned) return
    this.#flushPlanned = true
    const flush = (): void => {
      this.#flushPlanned = false
      this.flush()
    }
    // A keystroke is flushed at the end of its callback, bulk at the end of the event loop iteration.
    if (this.#batchBytes < MIN_BLOCK_BYTES) queueMicrotask(flush)
    else setImmediate(flush)
  }

  /** Writes the batch to the socket. */
  flush(): void {
    const batch = this.#batch
    const bytes = this.#batchBytes
    if (!batch) return
    this.#batch = undefined
    this.#batchBytes = 0
    const isBlock = this.#reuses && bytes >= MIN_BLOCK_BYTES
    const piece = isBlock ? batch.subarray(0, bytes) : copyOf(batch, bytes)
    if (!isBlock) releaseBatch(batch)
    const socket = this.#socket
    if (socket.writableEnded || socket.destroyed) return
    if (!this.#reuses) {
      // Other stream types may call back synchronously, even into other connections, while a packet is being assembled
      // in memory that all connections share.
      socket.cork()
      queueMicrotask(() => socket.uncork())
    }
    socket.write(piece, () => {
      if (isBlock) releaseBatch(batch)
      this.#written()
    })
  }
}

function releaseBatch(batch: Buffer): void {
  if (batch.length === BATCH_BYTES) blocks.release(batch)
}

function copyOf(batch: Buffer, bytes: number): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes)
  batch.copy(copy, 0, 0, bytes)
  return copy
}
