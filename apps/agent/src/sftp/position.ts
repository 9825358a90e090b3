import { STATUS } from '@bowline/sftp/protocol'
import { Refusal } from './status.ts'

/**
 * A position in a file that Node takes as it is meant: of a larger number it makes another position without a word. So
 * nothing is read or written beyond eight pebibytes.
 * @throws {Refusal}
 */
export function positionOf(offset: bigint): number {
  if (offset > BigInt(Number.MAX_SAFE_INTEGER)) throw new Refusal(STATUS.badMessage)
  return Number(offset)
}
