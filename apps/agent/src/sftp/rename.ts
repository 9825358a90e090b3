// The protocol's own rename, which must not replace an existing file (section 6.5).
import { linkSync, lstatSync, renameSync, statSync, unlinkSync } from 'node:fs'
import { STATUS } from '@bowline/sftp/protocol'
import { Refusal } from '@bowline/sftp/status'

/** Errors by which file systems report that they have no hard links. */
const NO_LINKS = new Set(['EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', 'EPERM', 'EXDEV'])

/** @throws {Refusal} when the new name is taken; system errors */
export function rename(from: Buffer, to: Buffer): void {
  if (lstatSync(from).isFile() && linked(from, to)) return
  // The name may be taken between check and rename: there is no better call for anything but plain files.
  if (statSync(to, { throwIfNoEntry: false })) throw new Refusal(STATUS.failure)
  renameSync(from, to)
}

/** A link fails atomically where a name is taken. @returns false where hard links are not supported */
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
