// Implements OpenSSH's extensions.
import { readSync, statfsSync, statSync, writeSync } from 'node:fs'
import { MAX_DATA_BYTES, MAX_PACKET_BYTES, STATUS } from '@bowline/sftp/protocol'
import { idNamesReply, limitsReply, statvfsReply } from '@bowline/sftp/replies'
import { WireReader, WireWriter } from '@bowline/sftp/wire'
import { MAX_HANDLES, type OpenFile } from './handles.ts'
import type { IdNames } from './id-names.ts'
import { positionOf } from './position.ts'
import { Refusal } from '@bowline/sftp/status'

const COPY_BYTES = 256 * 1024
/** Every usual Linux file system has this limit (limits.h, NAME_MAX). */
const NAME_MAX = 255n

export function limits(): Buffer {
  return limitsReply.encode({
    packetBytes: BigInt(MAX_PACKET_BYTES),
    readBytes: BigInt(MAX_DATA_BYTES),
    writeBytes: BigInt(MAX_DATA_BYTES),
    openHandles: BigInt(MAX_HANDLES),
  })
}

/** statvfs(3) as far as Node supports it; the device number serves as the file system's id. */
export function fileSystem(path: Buffer | string): Buffer {
  const { bsize, frsize, blocks, bfree, bavail, files, ffree } = statfsSync(path, { bigint: true })
  const { dev } = statSync(path, { bigint: true })
  return statvfsReply.encode({
    bsize,
    frsize,
    blocks,
    bfree,
    bavail,
    files,
    ffree,
    favail: ffree,
    fsid: dev,
    flag: 0n,
    namemax: NAME_MAX,
  })
}

export function openFileSystem(fd: number): Buffer {
  return fileSystem(`/proc/self/fd/${fd}`)
}

/** Offsets of a copy between two open files; bytes, length 0 is up to the end. */
export interface CopyRange {
  readonly fromOffset: bigint
  readonly toOffset: bigint
  readonly length: bigint
}

/**
 * Copies between two open files on this machine.
 * @throws {Refusal} between a file and itself; system errors
 */
export function copyData(from: OpenFile, to: OpenFile, { fromOffset, toOffset, length }: CopyRange): void {
  if (from.fd === to.fd || from.path.equals(to.path)) throw new Refusal(STATUS.failure)
  const buffer = Buffer.allocUnsafe(COPY_BYTES)
  const end = length === 0n ? Infinity : Number(length)
  const [source, target] = [positionOf(fromOffset), positionOf(toOffset)]
  for (let done = 0; done < end;) {
    const wanted = Math.min(buffer.length, end - done)
    const count = readSync(from.fd, buffer, 0, wanted, source + done)
    // A source that ends early is not a failure.
    if (count === 0) return
    for (let written = 0; written < count;) {
      written += writeSync(to.fd, buffer, written, count - written, target + done + written)
    }
    done += count
  }
}

/** @param users, groups runs of 32-bit ids */
export function idNames(names: IdNames, users: Buffer, groups: Buffer): Buffer {
  return idNamesReply.encode({
    users: run(users, (uid) => names.user(uid)),
    groups: run(groups, (gid) => names.group(gid)),
  })
}

function run(ids: Buffer, nameOf: (id: number) => string | undefined): Buffer {
  const reader = new WireReader(ids)
  const writer = new WireWriter()
  while (reader.left > 0) writer.string(Buffer.from(nameOf(reader.uint32()) ?? ''))
  return writer.bytes()
}
