// Releases memory pages that only startup used: most of a Node program's resident memory is its own program file, read
// once for the snapshot, the parts of Node and the compilation of the script.
import { readFileSync } from 'node:fs'
import koffi from 'koffi'
import { optionalFunction } from './library.ts'

const libc = koffi.load(null)
const madvise: (address: bigint, bytes: bigint, advice: number) => number = libc.func(
  'int madvise(uintptr_t address, size_t bytes, int advice)',
)
const mallocTrim: ((pad: number) => number) | undefined = optionalFunction('int malloc_trim(size_t pad)')

const MADV_DONTNEED = 4
/** A mapping of a file without write access: code and constants. */
const FILE_MAPPING = /^([0-9a-f]+)-([0-9a-f]+) r-[x-]p \S+ \S+ [1-9]\d* /

/**
 * Unmaps unchanged pages of program files; the kernel maps those again that are used again, from its cache. Pages not
 * known to be unchanged stay, so that nothing is lost. Does nothing without /proc.
 */
export function releaseStartPages(): void {
  mallocTrim?.(0)
  for (const mapping of mappings()) {
    const [, start, end] = FILE_MAPPING.exec(mapping) ?? []
    // Private copies of pages (relocated ones) are counted as anonymous, and would be lost.
    if (start === undefined || end === undefined || !/^Anonymous:\s+0 kB$/m.test(mapping)) continue
    const address = BigInt(`0x${start}`)
    madvise(address, BigInt(`0x${end}`) - address, MADV_DONTNEED)
  }
}

/** The sections of proc_pid_smaps(5). */
function mappings(): string[] {
  try {
    return readFileSync('/proc/self/smaps', 'latin1').split(/^(?=[0-9a-f]+-[0-9a-f]+ )/m)
  } catch {
    return []
  }
}
