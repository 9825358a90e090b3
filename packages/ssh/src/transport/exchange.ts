// A key exchange as the transport sees it, the same for both sides.
import type { Agreed } from './algorithms.ts'
import type { PacketOpener, PacketSealer } from './ciphers/packet-cipher.ts'
import type { KexInit } from './kexinit.ts'

/** One key exchange (RFC 4253 section 7): from our KEXINIT to both NEWKEYS. */
export interface Exchange {
  /** Strict key exchange was agreed on; set from the peer's KEXINIT. */
  readonly strict: boolean
  /** The peer wants EXT_INFO (RFC 8308 section 2.1). */
  readonly wantsExtInfo: boolean
  /** Whether the peer has sent its KEXINIT: from then on it may only send messages of the exchange. */
  readonly peerStarted: boolean
  /** Sends our KEXINIT, once. */
  sendInit(): void
  /**
   * Handles one message of the exchange.
   * @throws {Fault} when it is out of order or no algorithm is in common
   */
  message(payload: Buffer): void
}

/** The exchange's view of the connection. */
export interface ExchangeEvents {
  /** The peer's identification line, without CR LF; available once its KEXINIT has arrived. */
  peerIdent(): string
  readonly ownIdent: string
  /** The first exchange hash; undefined during the first exchange. */
  readonly sessionId: Buffer | undefined
  send(payload: Uint8Array): void
  /** Our NEWKEYS has been sent. */
  installSealer(sealer: PacketSealer): void
  /** The peer's NEWKEYS has arrived: the exchange is over. */
  finished(outcome: ExchangeOutcome): void
}

export interface ExchangeOutcome {
  readonly agreed: Agreed
  /** Our KEXINIT. */
  readonly offer: KexInit
  readonly hash: Buffer
  /** Wire encoding of the host key that signed. */
  readonly hostKey: Uint8Array
  readonly opener: PacketOpener
}
