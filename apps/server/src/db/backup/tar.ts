// The subset of the tar format (POSIX ustar) that backups and exports need: plain files with short names. Pure: bytes in,
// bytes out. Invariant: reading holds at most one entry, and none above the caller's limit.

const BLOCK_BYTES = 512
const NAME_BYTES = 100
/** The size field has eleven octal digits. */
const MAX_SIZE = 8 ** 11 - 1
const REGULAR_FILE = 0x30

/** Header fields: offset and length in bytes. */
const FIELD = {
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
} as const

/** The bytes are no valid archive of a backup. */
export class TarDamaged extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TarDamaged'
  }
}

export interface TarEntry {
  readonly name: string
  readonly body: Buffer
}

/** End-of-archive marker. */
export const TAR_END: Buffer = Buffer.alloc(2 * BLOCK_BYTES)

/**
 * Encodes one file as an archive entry, readable by its owner only.
 * @param name 1 to 100 bytes
 * @param mtimeSeconds since the epoch
 */
export function tarEntry(name: string, body: Uint8Array, mtimeSeconds: number): Buffer {
  if (body.length > MAX_SIZE) throw new RangeError('A file in an archive has less than 8 GiB.')
  return Buffer.concat([tarHeader(name, body.length, mtimeSeconds), body, tarPadding(body.length)])
}

/**
 * Header of a file whose bytes follow, and after them {@link tarPadding}. Sizes from 8 GiB on are written in binary, which
 * GNU tar, bsdtar and Python read, but not {@link readTar}.
 * @param name 1 to 100 bytes
 * @param size in bytes
 * @param mtimeSeconds since the epoch
 */
export function tarHeader(name: string, size: number, mtimeSeconds: number): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES)
  const nameBytes = Buffer.byteLength(name)
  if (nameBytes === 0 || nameBytes > NAME_BYTES) throw new RangeError('A name in an archive has 1 to 100 bytes.')
  header.write(name, 0)
  writeOctal(header, FIELD.mode, 0o600)
  writeOctal(header, FIELD.uid, 0)
  writeOctal(header, FIELD.gid, 0)
  if (size <= MAX_SIZE) writeOctal(header, FIELD.size, size)
  else writeBinary(header, FIELD.size, size)
  writeOctal(header, FIELD.mtime, mtimeSeconds)
  header[156] = REGULAR_FILE
  header.write('ustar\u000000', 257)
  writeOctal(header, FIELD.checksum, checksum(header))
  return header
}

/** Zeros that follow a file of that size. */
export function tarPadding(size: number): Buffer {
  return Buffer.alloc(padding(size))
}

/**
 * Reads the files of an archive in order. Reads the source to its end, so that a trailing checksum is verified too.
 * @param mostBytes size limit of one file
 * @throws {TarDamaged} when a header is damaged, a file exceeds the limit, the archive ends early, or data follows its
 *   end
 */
export async function* readTar(
  chunks: AsyncIterable<Uint8Array>,
  mostBytes: number,
): AsyncGenerator<TarEntry, void, undefined> {
  const source = new ByteSource(chunks)
  for (;;) {
    const header = await source.read(BLOCK_BYTES)
    if (header.every((byte) => byte === 0)) return source.expectZerosOnly()
    if (readOctal(header, FIELD.checksum) !== checksum(header) || header[156] !== REGULAR_FILE) {
      throw new TarDamaged('The archive is damaged: a header is not what it says.')
    }
    const size = readOctal(header, FIELD.size)
    if (size > mostBytes) throw new TarDamaged(`The archive has a file of ${size} bytes, more than ${mostBytes}.`)
    const name = header.subarray(0, NAME_BYTES).toString('utf8').replace(/\0+$/, '')
    const body = (await source.read(size + padding(size))).subarray(0, size)
    yield { name, body }
  }
}

/** Reads exact byte counts from a chunked source. */
class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest = Buffer.alloc(0)

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  async read(count: number): Promise<Buffer> {
    const parts = [this.#rest]
    let length = this.#rest.length
    while (length < count) {
      const { done, value } = await this.#chunks.next()
      if (done) throw new TarDamaged('The archive ends early.')
      parts.push(Buffer.from(value))
      length += value.length
    }
    const all = Buffer.concat(parts, length)
    this.#rest = all.subarray(count)
    return all.subarray(0, count)
  }

  async expectZerosOnly(): Promise<void> {
    for (let chunk: Uint8Array = this.#rest; ;) {
      if (chunk.some((byte) => byte !== 0)) throw new TarDamaged('Something follows the end of the archive.')
      const { done, value } = await this.#chunks.next()
      if (done) return
      chunk = value
    }
  }
}

function padding(size: number): number {
  return (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES
}

function writeOctal(header: Buffer, [offset, length]: readonly [number, number], value: number): void {
  header.write(value.toString(8).padStart(length - 1, '0'), offset)
  header[offset + length - 1] = 0
}

function writeBinary(header: Buffer, [offset, length]: readonly [number, number], value: number): void {
  header.writeBigUInt64BE(BigInt(value), offset + length - 8)
  header[offset] = 0x80
}

function readOctal(header: Buffer, [offset, length]: readonly [number, number]): number {
  const text = header.subarray(offset, offset + length).toString('latin1')
  const digits = /^[0-7]+/.exec(text)?.[0]
  if (digits === undefined) throw new TarDamaged('The archive is damaged: a header has a field without a number.')
  return Number.parseInt(digits, 8)
}

/** Sum of all bytes, with the checksum field counted as blanks. */
function checksum(header: Buffer): number {
  const [offset, length] = FIELD.checksum
  return header.reduce((sum, byte, index) => sum + (index >= offset && index < offset + length ? 0x20 : byte), 0)
}
