// Disk space for recordings: they leave a reserve, because the database may share the disk.
import { statfs } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

const RESERVE_BYTES = 512 * 1024 * 1024
/** Reserve on a small disk, as a share of its size. */
const RESERVE_SHARE = 0.05
/** For a disk, in milliseconds. */
const ANSWER_MS = 2_000
/** Room on a disk that does not tell. */
const UNKNOWN = -1

/** Thrown when a recording would use the reserve. */
export class NoRoom extends Error {
  constructor() {
    super('The disk that holds the recordings is full.')
  }
}

/** Bytes that recordings may still use; negative on a disk whose reserve is in use. */
async function roomIn(folder: string): Promise<number> {
  const { bavail, blocks, bsize } = await statfs(folder)
  return bavail * bsize - Math.min(RESERVE_BYTES, blocks * bsize * RESERVE_SHARE)
}

/**
 * Returns a function that looks at a disk, one look at a time: calls to one that does not answer would use up the threads
 * that all files need.
 * @returns bytes that recordings may still use; negative when the disk is full, is not there or does not answer in time
 */
export function watchRoom(folder: string): () => Promise<number> {
  let look: Promise<number> | undefined
  return async () => {
    look ??= roomIn(folder)
      .catch(() => UNKNOWN)
      .finally(() => (look = undefined))
    return Promise.race([look, pause(ANSWER_MS, UNKNOWN, { ref: false })])
  }
}

/** @throws {NoRoom} with a user-facing message */
export async function requireRoom(folder: string): Promise<void> {
  if ((await roomIn(folder)) < 0) throw new NoRoom()
}
