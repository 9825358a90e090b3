// Disk space for recordings: they leave a reserve, because the database may live on the same one.
import { statfs } from 'node:fs/promises'

const RESERVE_BYTES = 512 * 1024 * 1024
/** Of a small disk. */
const RESERVE_SHARE = 0.05

/** Recordings stop before they take what others need. */
export class NoRoom extends Error {
  constructor() {
    super('The disk that holds the recordings is full.')
  }
}

/** @throws {NoRoom} with a message for people */
export async function requireRoom(folder: string): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder)
  const reserve = Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE)
  if (bavail * bsize < reserve) throw new NoRoom()
}
