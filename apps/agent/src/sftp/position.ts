import { STATUS } from '@bowline/sftp/protocol'
import { Refusal } from './status.ts'

/**
 * A position in a file that Node takes as it is meant: of a larger number it would make something else. No file system
 * has files of eight petabytes.
 * @throws {Refusal}
 */
export function positionOf(offset: bigint): number {
  if (offset > BigInt(Number.MAX_SAFE_INTEGER)) throw new Refusal(STATUS.badMessage)
  return Number(offset)
}
