// The protocol's own rename, which must not replace anything (section 6.5).
import { linkSync, lstatSync, renameSync, statSync, unlinkSync } from 'node:fs'
import { STATUS } from '@bowline/sftp/protocol'
import { Refusal } from './status.ts'

/** File systems that have no hard links say so in one of these ways. */
const NO_LINKS = new Set(['EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', 'EPERM', 'EXDEV'])

/** @throws {Refusal} when the new name is taken; system errors */
export function rename(from: Buffer, to: Buffer): void {
  if (lstatSync(from).isFile() && linked(from, to)) return
  // Between look and rename somebody may take the name: there is no better call for what is no plain file.
  if (statSync(to, { throwIfNoEntry: false })) throw new Refusal(STATUS.failure)
  renameSync(from, to)
}

/** A link fails where a name is taken: no moment in which two could win. @returns false where links are unknown */
function linked(from: Buffer, to: Buffer): boolean {
  try {
    linkSync(from, to)
  } catch (error) {
    if (error instanceof Error && 'code' in error && NO_LINKS.has(String(error.code))) return false
    throw error
  }
  try {
    unlinkSync(from)
  } catch (error) {
    unlinkSync(to)
    throw error
  }
  return true
}
