// The fullest filesystems of the device.
import { readFile, statfs } from 'node:fs/promises'
import { Filesystem } from '@bowline/link/stream-messages'
import { parseMounts } from './proc.ts'

const TOLD = 4
/** One of very many mounts is not looked at: each look is a system call. */
const LOOKED_AT = 64

/** The fullest first; one that cannot be looked at is left out. */
export async function fullestFilesystems(): Promise<Filesystem[]> {
  const found: Filesystem[] = []
  for (const path of parseMounts(await readFile('/proc/self/mounts', 'utf8')).slice(0, LOOKED_AT)) {
    const { bsize, blocks, bfree, bavail } = await statfs(path).catch(() => NONE)
    // As df has it: what is reserved for root is neither free nor used.
    const totalBytes = (blocks - (bfree - bavail)) * bsize
    const told = Filesystem.safeParse({ path, totalBytes, freeBytes: bavail * bsize })
    if (told.success) found.push(told.data)
  }
  return found.toSorted((a, b) => a.freeBytes / a.totalBytes - b.freeBytes / b.totalBytes).slice(0, TOLD)
}

const NONE = { bsize: 0, blocks: 0, bfree: 0, bavail: 0 }
