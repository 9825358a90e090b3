// Strips symbols and debug information from an ELF64 program. None of it is loaded to run the program; `strip` does the
// same, but this machine's one only supports this machine's architecture.

const PROGRAM_HEADERS_AT = 32
const SECTION_HEADERS_AT = 40
const HEADER_SIZE = 54
const HEADER_COUNT = 56
/** Size, number and name table of the section headers. */
const SECTION_FIELDS = [58, 60, 62]

/**
 * The same program without the bytes after its last segment, and without the section headers for them (elf(5)).
 * @throws {Error} when it is not a 64-bit little-endian ELF file
 */
export function stripped(program: Buffer): Buffer {
  if (program.readUInt32BE(0) !== 0x7f454c46 || program[4] !== 2 || program[5] !== 1) {
    throw new Error('not a 64-bit little-endian ELF program')
  }
  const start = Number(program.readBigUInt64LE(PROGRAM_HEADERS_AT))
  const size = program.readUInt16LE(HEADER_SIZE)
  const headers = Array.from({ length: program.readUInt16LE(HEADER_COUNT) }, (_, index) => start + index * size)
  const ends = headers.map((at) => Number(program.readBigUInt64LE(at + 8) + program.readBigUInt64LE(at + 32)))
  const kept = Buffer.from(program.subarray(0, Math.max(start + size * headers.length, ...ends)))
  kept.writeBigUInt64LE(0n, SECTION_HEADERS_AT)
  for (const field of SECTION_FIELDS) kept.writeUInt16LE(0, field)
  return kept
}
