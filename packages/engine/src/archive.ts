// The one file of a tar archive (POSIX.1-2001 ustar), as engines send files of containers.

const BLOCK = 512

/** @returns the content; undefined when the archive's first entry is no regular file, or is cut off */
export function firstFile(archive: Buffer): Buffer | undefined {
  let start = 0
  while (start + BLOCK <= archive.length) {
    const header = archive.subarray(start, start + BLOCK)
    const size = Number.parseInt(header.toString('latin1', 124, 136).replaceAll(/[^0-7]/g, '') || '0', 8)
    const type = String.fromCharCode(header.readUInt8(156))
    const content = start + BLOCK
    if (content + size > archive.length) return undefined
    // Records of extended headers precede the file that they describe.
    if (type !== 'x' && type !== 'g') {
      return type === '0' || type === '\0' ? archive.subarray(content, content + size) : undefined
    }
    start = content + Math.ceil(size / BLOCK) * BLOCK
  }
  return undefined
}
