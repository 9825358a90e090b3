// The head of a data message (RFC 4254 section 5.2), written in front of its bytes.
import { MSG_CHANNEL_DATA, MSG_CHANNEL_EXTENDED_DATA } from '../wire/numbers.ts'

/** Scratch memory of one head: the transport copies it in the same call. */
const scratch = Buffer.allocUnsafeSlow(13)

/**
 * Writes the head so that it ends at `end`.
 * @param channel the peer's number of the channel
 * @param extended 0 for data, else the data type code
 * @param bytes of data that follow
 * @returns the offset at which it begins
 */
export function writeDataHead(memory: Buffer, end: number, channel: number, extended: number, bytes: number): number {
  memory.writeUInt32BE(bytes, end - 4)
  let at = end - 4
  if (extended !== 0) at = memory.writeUInt32BE(extended, at - 4) - 4
  memory.writeUInt32BE(channel, at - 4)
  memory[at - 5] = extended === 0 ? MSG_CHANNEL_DATA : MSG_CHANNEL_EXTENDED_DATA
  return at - 5
}

/** The head alone, in memory that the next call overwrites. */
export function dataHead(channel: number, extended: number, bytes: number): Uint8Array {
  return scratch.subarray(writeDataHead(scratch, scratch.length, channel, extended, bytes))
}
