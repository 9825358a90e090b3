// Writes a file under a name of its own and gives it the wanted one when it is whole: nobody finds half a file.
import type { FileAttributes } from '@bowline/sftp/attributes'
import { OPEN, STATUS } from '@bowline/sftp/protocol'
import { filesMessages } from '../messages.ts'
import { kindOf } from './entries.ts'
import { joined, parentOf } from './paths.ts'
import { AT_ONCE, PIECE_BYTES } from './reading.ts'
import type { Handle, SftpClient } from './sftp-client.ts'
import { isCode } from './sftp-error.ts'

/** What is read from the disk at once. */
const BLOCK_BYTES = 1024 * 1024
const PERMISSIONS = 0o7777
const PRIVATE = 0o600

export interface Place {
  /** Where the file ends up: for a symbolic link what it points to. */
  readonly path: string
  /** Attributes of the file that is replaced; undefined: there is none. */
  readonly replaces: FileAttributes | undefined
}

/** Looks where an upload would end up. @throws {Error} where there is something that no file can replace */
export async function placeFor(client: SftpClient, path: string): Promise<Place> {
  try {
    const link = await client.lstat(path)
    const attributes = kindOf(link) === 'link' ? await client.stat(path) : link
    if (kindOf(attributes) !== 'file') throw new Error(filesMessages.upload.notAFile)
    return { path: kindOf(link) === 'link' ? await client.realpath(path) : path, replaces: attributes }
  } catch (error) {
    if (isCode(error, STATUS.noSuchFile)) return { path, replaces: undefined }
    throw error
  }
}

export interface WriteOptions {
  readonly signal: AbortSignal
  readonly progress: (bytes: number) => void
  /** Random characters for the temporary name. */
  readonly mark: string
}

/**
 * @param place as `placeFor` has found it, and the person has agreed to
 * @throws {SftpError} also when a new name has been taken meanwhile
 */
export async function writeFile(client: SftpClient, place: Place, file: Blob, options: WriteOptions): Promise<void> {
  const { path, replaces } = place
  const temporary = joined(parentOf(path), `.bowline-upload-${options.mark}`)
  // What replaces a secret must at no time be open to more people than that was.
  const handle = await client.open(
    temporary,
    OPEN.write | OPEN.create | OPEN.exclusive,
    replaces ? { permissions: PRIVATE } : {},
  )
  try {
    try {
      await writeAll(client, handle, file, options)
      if (replaces) await takeOver(client, handle, replaces)
    } finally {
      await client.close(handle)
    }
    options.signal.throwIfAborted()
    await (replaces ? client.replace(temporary, path) : client.rename(temporary, path))
  } catch (error) {
    await client.removeFile(temporary).catch(() => undefined)
    throw error
  }
}

/** Owner, where the account may give files away, and permissions of the file that is replaced. */
async function takeOver(client: SftpClient, handle: Handle, { owner, permissions }: FileAttributes): Promise<void> {
  const own = (await client.fstat(handle)).owner
  if (owner && own && (owner.uid !== own.uid || owner.gid !== own.gid)) {
    await client.setAttributes(handle, { owner }).catch(() => undefined)
  }
  if (permissions !== undefined) await client.setAttributes(handle, { permissions: permissions & PERMISSIONS })
}

async function writeAll(client: SftpClient, handle: Handle, file: Blob, options: WriteOptions): Promise<void> {
  const { signal, progress } = options
  const writes: Promise<void>[] = []
  let done = 0
  for (let at = 0; at < file.size; at += BLOCK_BYTES) {
    const block = new Uint8Array(await file.slice(at, at + BLOCK_BYTES).arrayBuffer())
    for (let from = 0; from < block.length; from += PIECE_BYTES) {
      signal.throwIfAborted()
      const piece = block.subarray(from, from + PIECE_BYTES)
      const write = client.write(handle, at + from, piece).then(() => progress((done += piece.length)))
      // It is awaited later, when it may have failed already.
      write.catch(() => undefined)
      writes.push(write)
      if (writes.length >= AT_ONCE) await writes.shift()
    }
  }
  await Promise.all(writes)
}
