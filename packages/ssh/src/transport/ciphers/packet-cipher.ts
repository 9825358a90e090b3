// The interfaces that every packet protection implements (RFC 4253 section 6): sealing outgoing and opening incoming.

/** Thrown by {@link PacketOpener.open}: the packet failed authentication. */
export class BadPacket extends Error {
  override readonly name = 'BadPacket'
}

/** Longest authentication tag: that of HMAC with SHA-512. */
export const MAX_TAG_BYTES = 64

/** Protects outgoing packets of one key. */
export interface PacketSealer {
  /** Padded packets are a multiple of this many bytes. */
  readonly blockBytes: number
  /** Whether the length field counts towards that multiple: true unless it is outside the encryption (AEAD, ETM). */
  readonly alignsLength: boolean
  /**
   * Writes the wire bytes into `out` from `at` on: as many as `packet` has, plus at most {@link MAX_TAG_BYTES}.
   * `packet` is packet_length, padding_length, payload and padding in the clear.
   * @returns the offset at which they end
   */
  seal(packet: Buffer, sequence: number, out: Buffer, at: number): number
}

/** Opens incoming packets of one key. */
export interface PacketOpener {
  readonly blockBytes: number
  readonly alignsLength: boolean
  /** Bytes of authentication tag after the packet. */
  readonly tagBytes: number
  /** Reads packet_length from the first four bytes; not authenticated yet. Called once per packet. */
  length(head: Buffer, sequence: number): number
  /**
   * @param packet the length field, `length` bytes and the tag
   * @returns padding_length, payload and padding in the clear, in memory owned by the caller
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
