// C memory in Buffers: strings, arrays of pointers, and reading results of C functions. Everything lives in Buffers
// that the caller keeps until the call returns; nothing here allocates outside V8.
import koffi from 'koffi'

/** Zeroed memory of at least 128 bytes, so that V8 never keeps it inside the moving heap. */
export function cMemory(bytes: number): Buffer {
  return Buffer.alloc(Math.max(bytes, 128))
}

/**
 * NUL-terminated copy.
 * @throws {RangeError} when the text contains a NUL: C would silently truncate it
 */
export function cString(text: string | Uint8Array): Buffer {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text
  if (bytes.includes(0)) throw new RangeError('a NUL byte cannot be passed to the system')
  const memory = cMemory(bytes.length + 1)
  memory.set(bytes)
  return memory
}

/** `char *const []`: the strings and the NULL-terminated array of pointers to them, in one piece. */
export function cStrings(texts: readonly (string | Uint8Array)[]): Buffer {
  const strings = texts.map(cString)
  const headBytes = (texts.length + 1) * 8
  const memory = cMemory(headBytes + strings.reduce((total, string) => total + string.length, 0))
  const base = koffi.address(memory)
  let offset = headBytes
  strings.forEach((string, index) => {
    memory.set(string, offset)
    memory.writeBigUInt64LE(base + BigInt(offset), index * 8)
    offset += string.length
  })
  return memory
}

/**
 * The string behind the pointer at `offset` of `record`, which must point into `strings` (as returned by libc's `_r`
 * functions).
 * @throws {RangeError} when it points elsewhere
 */
export function stringInto(strings: Buffer, record: Buffer, offset: number): string {
  const start = Number(record.readBigUInt64LE(offset) - koffi.address(strings))
  if (start < 0 || start >= strings.length) throw new RangeError('a pointer leaves the memory that was handed out')
  const end = strings.indexOf(0, start)
  return strings.toString('utf8', start, end === -1 ? strings.length : end)
}
