// What stat says of files, and the protocol's attributes of them.
import type { FileAttributes } from '@bowline/sftp/attributes'
import { STATUS } from '@bowline/sftp/protocol'
import { Refusal } from '@bowline/sftp/status'

export interface Stats {
  readonly mode: number
  readonly nlink: number
  readonly uid: number
  readonly gid: number
  readonly size: bigint
  /** Seconds since 1970. */
  readonly accessed: number
  readonly modified: number
}

const NUMBERS = /^([0-9a-f]{1,8}) (\d{1,15}) (\d{1,10}) (\d{1,10}) (\d{1,19}) (-?\d{1,15}) (-?\d{1,15})/

/** @throws {Refusal} when the text is none of stat */
export function statsOf(text: string): Stats {
  const found = NUMBERS.exec(text)
  if (!found) throw new Refusal(STATUS.failure)
  const [, mode = '', nlink, uid, gid, size = '', accessed, modified] = found
  return {
    mode: Number.parseInt(mode, 16),
    nlink: Number(nlink),
    uid: Number(uid),
    gid: Number(gid),
    size: BigInt(size),
    accessed: Number(accessed),
    modified: Number(modified),
  }
}

/**
 * @param listed records of `./name/`, each with a line end: no name has a slash, so that any other byte may be in it
 * @returns files by name, the first of each name
 */
export function listOf(listed: Buffer): readonly (readonly [name: Buffer, stats: Stats])[] {
  const files = new Map<string, Stats>()
  for (const record of listed.toString('latin1').split('/\n')) {
    const at = record.indexOf(' ./')
    const name = record.slice(at + 3)
    if (at === -1 || name === '' || files.has(name)) continue
    files.set(name, statsOf(record))
  }
  return [...files].map(([name, stats]) => [Buffer.from(name, 'latin1'), stats])
}

export function attributesOf({ size, uid, gid, mode, accessed, modified }: Stats): FileAttributes {
  return {
    size,
    owner: { uid, gid },
    permissions: mode,
    // Unsigned 32 bits.
    times: { accessed: accessed >>> 0, modified: modified >>> 0 },
  }
}
