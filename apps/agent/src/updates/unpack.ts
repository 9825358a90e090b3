// Unpacks an archive of the agent. Its hash has been verified before; still only what such an archive has is accepted:
// plain files in one folder with the version in its name. No links, no other paths, no more bytes than announced.
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { basename, join } from 'node:path'
import type { Transform } from 'node:stream'
import { constants, createGunzip, createZstdDecompress } from 'node:zlib'

const BLOCK = 512
const PART = 256 * 1024
const ZSTD_MAGIC = Buffer.from('28b52ffd', 'hex')
/** 8 MB of memory at most; an archive that needs more is refused. */
const ZSTD_WINDOW_LOG = 23
const ZEROS = Buffer.alloc(PART)
const FOLDER = /^(bowline-agent-[0-9][A-Za-z0-9.+-]{0,100})\/$/
const FILE = /^(bowline-agent-[0-9][A-Za-z0-9.+-]{0,100})\/([a-z][a-z0-9.-]{0,63})$/

/** The archive is not one of the agent; the message says what is wrong. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

/**
 * Unpacks into a new folder below `target`; its files are on the disk when this resolves.
 * @param limitBytes most that the archive may unpack to, with the headers of its entries
 * @returns path of the folder
 * @throws {ArchiveError | Error} then part of it may be there
 */
export async function unpack(archive: string, target: string, limitBytes: number): Promise<string> {
  const source = createReadStream(archive)
  const content = source.pipe(await decompressorOf(archive))
  source.on('error', (error) => content.destroy(error))
  try {
    return await unpackEntries(new BlockReader(content, limitBytes), target)
  } finally {
    content.destroy()
    source.destroy()
  }
}

/** By the first bytes, of zstd (RFC 8878, section 3.1.1) or of gzip. */
async function decompressorOf(archive: string): Promise<Transform> {
  const file = await open(archive)
  try {
    const { buffer } = await file.read(Buffer.alloc(ZSTD_MAGIC.length), 0, ZSTD_MAGIC.length, 0)
    if (!buffer.equals(ZSTD_MAGIC)) return createGunzip()
    return createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } })
  } finally {
    await file.close()
  }
}

async function unpackEntries(reader: BlockReader, target: string): Promise<string> {
  let folder: string | undefined
  for (;;) {
    const header = await reader.take(BLOCK)
    // Two blocks of zeros end an archive (tar(5)); what follows is padding.
    if (header === undefined || header.every((byte) => byte === 0)) break
    const { name, size, type, mode } = readHeader(header)
    if (type === '5' && FOLDER.test(name)) {
      if (folder !== undefined) throw new ArchiveError('the archive has more than one folder')
      folder = join(target, name.slice(0, -1))
      await mkdir(folder, { mode: 0o755 })
      continue
    }
    const [, parent, file] = type === '0' || type === '\0' ? (FILE.exec(name) ?? []) : []
    if (file === undefined || folder === undefined || basename(folder) !== parent) {
      throw new ArchiveError(`the archive has an entry that no agent has: ${JSON.stringify(name.slice(0, 80))}`)
    }
    // Exclusive: a second entry of the same name fails.
    const handle = await open(join(folder, file), 'wx', mode & 0o111 ? 0o755 : 0o644)
    try {
      await copy(reader, handle, size)
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
  if (folder === undefined) throw new ArchiveError('the archive is empty')
  return folder
}

async function copy(reader: BlockReader, handle: FileHandle, size: number): Promise<void> {
  for (let at = 0; at < size;) {
    const part = await reader.take(Math.min(size - at, PART))
    if (part === undefined) throw new ArchiveError('the archive ends early')
    // A part of zeros stays a hole, which takes no room on the disk.
    if (!part.equals(ZEROS.subarray(0, part.length))) await writeAt(handle, part, at)
    at += part.length
  }
  await handle.truncate(size)
  const padding = (BLOCK - (size % BLOCK)) % BLOCK
  if (padding > 0 && (await reader.take(padding)) === undefined) throw new ArchiveError('the archive ends early')
}

async function writeAt(handle: FileHandle, part: Buffer, at: number): Promise<void> {
  for (let done = 0; done < part.length;) {
    const { bytesWritten } = await handle.write(part, done, part.length - done, at + done)
    done += bytesWritten
  }
}

/** An entry's header (tar(5), "POSIX ustar archives"). @throws {ArchiveError} */
function readHeader(header: Buffer): { name: string; size: number; type: string; mode: number } {
  const text = (from: number, length: number): string =>
    header.toString('latin1', from, from + length).replace(/\0.*$/s, '')
  const number = (from: number, length: number): number => {
    const digits = text(from, length).trim()
    if (!/^[0-7]+$/.test(digits)) throw new ArchiveError('the archive has a number that is none')
    return Number.parseInt(digits, 8)
  }
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  if (sum !== number(148, 8)) throw new ArchiveError('the archive has a header with a wrong sum')
  return {
    name: text(0, 100),
    mode: number(100, 8),
    size: number(124, 12),
    type: String.fromCharCode(header[156] ?? 0),
  }
}

/** Exact amounts of a stream. */
class BlockReader {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)
  #left: number

  constructor(stream: AsyncIterable<Buffer>, limitBytes: number) {
    this.#chunks = stream[Symbol.asyncIterator]()
    this.#left = limitBytes
  }

  /** @returns undefined when the stream ends before that much */
  async take(count: number): Promise<Buffer | undefined> {
    this.#left -= count
    if (this.#left < 0) throw new ArchiveError('the archive unpacks to more than was announced')
    while (this.#rest.length < count) {
      const { value, done } = await this.#chunks.next()
      if (done === true) return undefined
      this.#rest = this.#rest.length === 0 ? value : Buffer.concat([this.#rest, value])
    }
    const taken = this.#rest.subarray(0, count)
    this.#rest = this.#rest.subarray(count)
    return taken
  }
}
