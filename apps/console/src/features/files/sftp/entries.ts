// What is in a folder: its entries, and everything below it.
import type { FileAttributes } from '@bowline/sftp/attributes'
import type { NameEntry } from '@bowline/sftp/fields'
import { FILE_TYPE } from '@bowline/sftp/long-name'
import { formatCount } from '../../../ui/text/numbers.ts'
import { filesMessages } from '../messages.ts'
import { joined, nameFault, textOf } from './paths.ts'
import type { SftpClient } from './sftp-client.ts'

export type EntryKind = 'file' | 'folder' | 'link' | 'other'

export interface Entry {
  /** As `textOf` writes it. */
  readonly name: string
  readonly path: string
  readonly kind: EntryKind
  /** Bytes; undefined where the device does not say. */
  readonly size: number | undefined
  /** `st_mode`. */
  readonly mode: number | undefined
  /** Milliseconds since 1970. */
  readonly modifiedMs: number | undefined
  readonly owner: string
}

export interface Folder {
  readonly path: string
  readonly entries: readonly Entry[]
  /** There are more than are listed. */
  readonly isCut: boolean
}

/** A table of more is of no use, and the device may send names forever. */
export const MAX_ENTRIES = 100_000
/** Requests for names that are outstanding at once. */
const AT_ONCE = 8

export function kindOf({ permissions }: FileAttributes): EntryKind {
  switch ((permissions ?? 0) & FILE_TYPE.mask) {
    case FILE_TYPE.folder:
      return 'folder'
    case FILE_TYPE.link:
      return 'link'
    case FILE_TYPE.regular:
      return 'file'
    default:
      return 'other'
  }
}

/** @param path canonical */
export async function listFolder(client: SftpClient, path: string, most = MAX_ENTRIES): Promise<Folder> {
  const handle = await client.openFolder(path)
  try {
    const entries: Entry[] = []
    let isOver = false
    const read = async (): Promise<void> => {
      while (!isOver) {
        const names = await client.names(handle)
        if (!names) isOver = true
        for (const name of names ?? []) {
          const entry = entryOf(path, name)
          if (entry) entries.push(entry)
        }
        if (entries.length > most) isOver = true
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, read))
    return { path, entries: entries.slice(0, most), isCut: entries.length > most }
  } finally {
    await client.close(handle).catch(() => undefined)
  }
}

/** undefined for the folder itself and the one above, and for a name that no file can have. */
function entryOf(folder: string, { name: bytes, longName, attributes }: NameEntry): Entry | undefined {
  const name = textOf(bytes)
  const fault = nameFault(name)
  if (fault !== undefined && fault !== 'long') return undefined
  return {
    name,
    path: joined(folder, name),
    kind: kindOf(attributes),
    size: attributes.size === undefined ? undefined : Number(attributes.size),
    mode: attributes.permissions,
    modifiedMs: attributes.times && attributes.times.modified * 1_000,
    owner: ownerIn(textOf(longName)) ?? ownerOf(attributes),
  }
}

/** Owner and group in a line as `ls -l` writes it: they are names there, and numbers in the attributes. */
function ownerIn(line: string): string | undefined {
  const found = /^[a-zA-Z?-]\S{9,10}\s+\S+\s+(\S{1,64})\s+(\S{1,64})\s/.exec(line)
  return found ? `${found[1]}:${found[2]}` : undefined
}

function ownerOf({ owner }: FileAttributes): string {
  return owner ? `${owner.uid}:${owner.gid}` : ''
}

/** More are better removed in a terminal: a person cannot see what they agree to. */
export const MAX_REMOVED = 10_000

/**
 * Everything in a folder, each after what it contains. Symbolic links are not followed.
 * @throws {Error} for more than {@link MAX_REMOVED}
 */
export async function everythingIn(client: SftpClient, folder: string): Promise<Entry[]> {
  const found: Entry[] = []
  const visit = async (path: string): Promise<void> => {
    const { entries } = await listFolder(client, path, MAX_REMOVED + 1)
    for (const entry of entries) {
      if (entry.kind === 'folder') await visit(entry.path)
      found.push(entry)
      if (found.length > MAX_REMOVED) throw new Error(filesMessages.remove.tooMany(formatCount(MAX_REMOVED)))
    }
  }
  await visit(folder)
  return found
}

export function removeEntry(client: SftpClient, { kind, path }: Pick<Entry, 'kind' | 'path'>): Promise<void> {
  return kind === 'folder' ? client.removeFolder(path) : client.removeFile(path)
}
