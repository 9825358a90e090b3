// Disk space for recordings: they leave a reserve, because the database may share the disk.
import { statfs } from 'node:fs/promises'

const RESERVE_BYTES = 512 * 1024 * 1024
/** Reserve on a small disk, as a share of its size. */
const RESERVE_SHARE = 0.05

/** Thrown when a recording would use the reserve. */
export class NoRoom extends Error {
  constructor() {
    super('The disk that holds the recordings is full.')
  }
}

/** @throws {NoRoom} with a user-facing message */
export async function requireRoom(folder: string): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder)
  const reserve = Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE)
  if (bavail * bsize < reserve) throw new NoRoom()
}
