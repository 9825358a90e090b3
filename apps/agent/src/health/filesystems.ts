// The fullest filesystems of the device.
import { readFile, statfs } from 'node:fs/promises'
import { Filesystem } from '@bowline/link/stream-messages'
import { parseMounts } from './proc.ts'

const MAX_REPORTED = 4
/** Each costs a system call. */
const MAX_MOUNTS = 64

/** The fullest first; those that statfs(2) fails on are left out. */
export async function fullestFilesystems(): Promise<Filesystem[]> {
  const found: Filesystem[] = []
  for (const path of parseMounts(await readFile('/proc/self/mounts', 'utf8')).slice(0, MAX_MOUNTS)) {
    const { bsize, blocks, bfree, bavail } = await statfs(path).catch(() => NONE)
    // As df has it: what is reserved for root is neither free nor used.
    const totalBytes = (blocks - (bfree - bavail)) * bsize
    const parsed = Filesystem.safeParse({ path, totalBytes, freeBytes: bavail * bsize })
    if (parsed.success) found.push(parsed.data)
  }
  return found.toSorted((a, b) => a.freeBytes / a.totalBytes - b.freeBytes / b.totalBytes).slice(0, MAX_REPORTED)
}

const NONE = { bsize: 0, blocks: 0, bfree: 0, bavail: 0 }
