// The two halves every packet protection implements (RFC 4253 section 6): sealing what we send, opening what arrives.

/** Thrown by {@link PacketOpener.open}: the packet is not what the peer sealed. */
export class BadPacket extends Error {
  override readonly name = 'BadPacket'
}

/** Longest authentication tag: that of HMAC with SHA-512. */
export const MOST_TAG_BYTES = 64

/** Protects outgoing packets of one key. */
export interface PacketSealer {
  /** Padded packets are a multiple of this many bytes. */
  readonly blockBytes: number
  /** Whether the length field counts for that multiple: true unless it is outside the encryption (AEAD, ETM). */
  readonly alignsLength: boolean
  /**
   * Writes the bytes for the wire into `out` from `at` on: as many as `packet` has, and at most {@link MOST_TAG_BYTES}
   * more. `packet` is packet_length, padding_length, payload and padding in clear.
   * @returns where they end
   */
  seal(packet: Buffer, sequence: number, out: Buffer, at: number): number
}

/** Opens incoming packets of one key. */
export interface PacketOpener {
  readonly blockBytes: number
  readonly alignsLength: boolean
  /** Bytes of authentication tag after the packet. */
  readonly tagBytes: number
  /** The packet_length field out of the first four bytes; not authenticated yet. Called once per packet. */
  length(head: Buffer, sequence: number): number
  /**
   * @param packet the length field, `length` bytes and the tag
   * @returns padding_length, payload and padding in clear, in memory that belongs to the caller
   * @throws {BadPacket} when the tag does not match
   */
  open(packet: Buffer, sequence: number): Buffer
}

/** Before the first NEWKEYS: no encryption, no MAC. */
export const CLEAR_SEALER: PacketSealer = {
  blockBytes: 8,
  alignsLength: true,
  seal: (packet, _sequence, out, at) => at + packet.copy(out, at),
}

export const CLEAR_OPENER: PacketOpener = {
  blockBytes: 8,
  alignsLength: true,
  tagBytes: 0,
  length: (head) => head.readUInt32BE(0),
  open: (packet) => Buffer.from(packet.subarray(4)),
}
