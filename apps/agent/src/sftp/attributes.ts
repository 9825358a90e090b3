// Maps file attributes between the protocol and the system.
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  lchownSync,
  lutimesSync,
  openSync,
  type Stats,
  utimesSync,
} from 'node:fs'
import type { FileAttributes } from '@bowline/sftp/attributes'
import { STATUS } from '@bowline/sftp/protocol'
import { Refusal } from '@bowline/sftp/status'

const PERMISSION_BITS = 0o7777
/** open(2): a descriptor that only names the file. Node has no constant for it; the same on x64 and arm64. */
const O_PATH = 0o10_000_000

export function attributesOf(stats: Stats): FileAttributes {
  return {
    size: BigInt(stats.size),
    owner: { uid: stats.uid, gid: stats.gid },
    permissions: stats.mode,
    times: { accessed: seconds(stats.atimeMs), modified: seconds(stats.mtimeMs) },
  }
}

/** @returns the permission bits of a file to be created, before the umask */
export function modeOf(attributes: FileAttributes, otherwise: number): number {
  return attributes.permissions === undefined ? otherwise : attributes.permissions & PERMISSION_BITS
}

export function setByPath(path: Buffer, attributes: FileAttributes): void {
  applyAll(attributes, {
    size: (bytes) => truncate(path, bytes),
    permissions: (mode) => chmodSync(path, mode),
    times: (accessed, modified) => utimesSync(path, accessed, modified),
    owner: (uid, gid) => chownSync(path, uid, gid),
  })
}

export function setByDescriptor(fd: number, attributes: FileAttributes): void {
  applyAll(attributes, {
    size: (bytes) => ftruncateSync(fd, bytes),
    permissions: (mode) => fchmodSync(fd, mode),
    times: (accessed, modified) => futimesSync(fd, accessed, modified),
    owner: (uid, gid) => fchownSync(fd, uid, gid),
  })
}

/** `lsetstat@openssh.com`: attributes of the link itself. */
export function setOfLink(path: Buffer, attributes: FileAttributes): void {
  applyAll(attributes, {
    size: () => {
      throw new Refusal(STATUS.badMessage)
    },
    permissions: (mode) => chmodUnlessLink(path, mode),
    times: (accessed, modified) => lutimesSync(path, accessed, modified),
    owner: (uid, gid) => lchownSync(path, uid, gid),
  })
}

interface Setters {
  size(bytes: number): void
  permissions(mode: number): void
  times(accessed: number, modified: number): void
  owner(uid: number, gid: number): void
}

/** Sets all present attributes, in turn, even after a failure; the last failure is thrown. */
function applyAll({ size, permissions, times, owner }: FileAttributes, set: Setters): void {
  const failures: unknown[] = []
  const attempt = (act: () => void): void => {
    try {
      act()
    } catch (error) {
      failures.push(error)
    }
  }
  if (size !== undefined) attempt(() => set.size(Number(size)))
  if (permissions !== undefined) attempt(() => set.permissions(permissions & PERMISSION_BITS))
  if (times) attempt(() => set.times(times.accessed, times.modified))
  if (owner) attempt(() => set.owner(owner.uid, owner.gid))
  if (failures.length > 0) throw failures.at(-1)
}

/** Like truncate(2), which needs no read permission. */
function truncate(path: Buffer, bytes: number): void {
  const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
  try {
    ftruncateSync(fd, bytes)
  } finally {
    closeSync(fd)
  }
}

/** Linux has no permissions of links. The descriptor prevents the file from being swapped between check and change. */
function chmodUnlessLink(path: Buffer, mode: number): void {
  const fd = openSync(path, O_PATH | constants.O_NOFOLLOW)
  try {
    if (fstatSync(fd).isSymbolicLink()) throw new Refusal(STATUS.failure)
    chmodSync(`/proc/self/fd/${fd}`, mode)
  } finally {
    closeSync(fd)
  }
}

/** Unsigned 32 bits, as in the protocol. */
function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000) >>> 0
}
