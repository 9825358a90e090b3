// A channel's view of its connection, an interface so that channels can be tested without a transport.
import type { PeerAddress, SshLimits } from '../api.ts'
import type { Side } from '../transport/role.ts'
import type { Fault } from '../fault.ts'
import type { GrowthBudget } from './receive-window.ts'
import type { PendingRequests } from './reply-queue.ts'

/** The peer's parameters of a channel. */
export interface RemoteEnd {
  readonly id: number
  readonly window: number
  /** Its `maximum packet size`. */
  readonly packetBytes: number
}

/** Initial parameters that both sides grant each other. */
export interface ChannelEnds {
  readonly remote: RemoteEnd
  /** Our initial receive window, bytes. */
  readonly windowBytes: number
}

export interface ChannelLink {
  readonly connection: { readonly peer: PeerAddress }
  /** Our side of the connection. */
  readonly side: Side
  readonly limits: SshLimits
  readonly growth: GrowthBudget
  readonly pendingRequests: PendingRequests
  /** Whether bulk output may be sent now. */
  readonly writable: boolean
  readonly now: () => number
  /** Sends one message; its parts are copied. */
  send(head: Uint8Array, body?: readonly Uint8Array[]): void
  /**
   * Sends the message at `from` to `to` of `block`, overwriting the memory around it, see `PacketWriter.writeInPlace`.
   * The caller may reuse the block on return.
   */
  sendInPlace(block: Buffer, from: number, to: number): void
  /** Runs after `delayMs` milliseconds; the connection may have ended by then. */
  after(delayMs: number, run: () => void): void
  /** Runs at the end of this iteration of the event loop. */
  soon(run: () => void): void
  fail(fault: Fault): void
  /** Runs a callback of the embedding program; when it throws, the channel is closed and the result is undefined. */
  callHandler<T>(channel: { close(): void }, call: () => T): T | undefined
  /** Both sides have closed: the number may be reused. */
  remove(channel: { readonly id: number }): void
}
