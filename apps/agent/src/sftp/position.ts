import { STATUS } from '@bowline/sftp/protocol'
import { Refusal } from '@bowline/sftp/status'

/**
 * Converts a file position to a number that Node handles exactly: it silently changes larger ones. So nothing is read
 * or written beyond eight pebibytes.
 * @throws {Refusal}
 */
export function positionOf(offset: bigint): number {
  if (offset > BigInt(Number.MAX_SAFE_INTEGER)) throw new Refusal(STATUS.badMessage)
  return Number(offset)
}
