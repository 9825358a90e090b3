// Handles requests (draft section 6) like OpenSSH's own server, with the permissions of this process's user. Everything
// is synchronous: that preserves the order, and a slow file system blocks nobody else.
import {
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { EXTENSIONS, MAX_DATA_BYTES, OPEN, SFTP_VERSION, STATUS } from '@bowline/sftp/protocol'
import type { FileAttributes } from '@bowline/sftp/attributes'
import { DATA_HEADER_BYTES, encodeReply, frameData } from '@bowline/sftp/replies'
import type { Request } from '@bowline/sftp/requests'
import { attributesOf, modeOf, setByDescriptor, setByPath, setOfLink } from './attributes.ts'
import { Handles } from './handles.ts'
import { copyData, fileSystem, idNames, limits, openFileSystem } from './extensions.ts'
import { IdNames, homeOf } from './id-names.ts'
import { Listing } from './listing.ts'
import type { Order } from './order.ts'
import { canonical, expandTilde } from './paths.ts'
import { positionOf } from './position.ts'
import { rename } from './rename.ts'
import { Refusal, status } from '@bowline/sftp/status'
import { statusOf } from './status.ts'

const FILE_MODE = 0o666
const FOLDER_MODE = 0o777

export class FileServer {
  readonly #order: Order
  readonly #handles = new Handles()
  readonly #names = new IdNames()
  /** Buffer of the `data` response; at most one is in flight. */
  readonly #data = Buffer.allocUnsafeSlow(DATA_HEADER_BYTES + MAX_DATA_BYTES)

  constructor(order: Order) {
    this.#order = order
  }

  /** @returns the response packet with its length; it may be overwritten by the next call */
  answer(request: Request): Buffer {
    if (request.type === 'init') {
      return encodeReply({ type: 'version', version: SFTP_VERSION, extensions: EXTENSIONS })
    }
    const { id } = request
    try {
      return this.#reply(request) ?? status(id, STATUS.ok)
    } catch (error) {
      return status(id, statusOf(error))
    }
  }

  close(): void {
    this.#handles.closeAll()
  }

  /** @returns undefined for plain success. @throws {Refusal} and system errors, which become a status */
  #reply(request: Exclude<Request, { type: 'init' }>): Buffer | undefined {
    const { id } = request
    switch (request.type) {
      case 'open':
        return handleReply(id, this.#open(request.path, request.flags, request.attributes))
      case 'close':
        return nothing(this.#handles.close(request.handle))
      case 'read':
        return this.#read(id, request.handle, request.offset, request.length)
      case 'write':
        return nothing(this.#write(request.handle, request.offset, request.data))
      case 'stat':
        return attributesReply(id, attributesOf(statSync(request.path)))
      case 'lstat':
        return attributesReply(id, attributesOf(lstatSync(request.path)))
      case 'fstat':
        return attributesReply(id, attributesOf(fstatSync(this.#fd(request.handle))))
      case 'setstat':
        return nothing(setByPath(request.path, request.attributes))
      case 'fsetstat':
        return nothing(setByDescriptor(this.#fd(request.handle), request.attributes))
      case 'lsetstat@openssh.com':
        return nothing(setOfLink(request.path, request.attributes))
      case 'opendir':
        return handleReply(id, this.#opendir(request.path))
      case 'readdir':
        return this.#readdir(id, request.handle)
      case 'remove':
        return nothing(unlinkSync(request.path))
      case 'mkdir':
        return nothing(mkdirSync(request.path, modeOf(request.attributes, FOLDER_MODE)))
      case 'rmdir':
        return nothing(rmdirSync(request.path))
      case 'rename':
        return nothing(rename(request.from, request.to))
      case 'posix-rename@openssh.com':
        return nothing(renameSync(request.from, request.to))
      case 'symlink':
        return nothing(symlinkSync(request.target, request.path))
      case 'hardlink@openssh.com':
        return nothing(linkSync(request.from, request.to))
      case 'readlink':
        return nameReply(id, readlinkSync(request.path, { encoding: 'buffer' }))
      case 'realpath':
        return nameReply(id, canonical(request.path))
      case 'expand-path@openssh.com':
        return nameReply(id, canonical(expandTilde(request.path, this.#order)))
      case 'home-directory':
        return nameReply(id, this.#home(request.user))
      case 'fsync@openssh.com':
        return nothing(this.#sync(request.handle))
      case 'copy-data':
        return nothing(copyData(this.#handles.file(request.from), this.#handles.file(request.to), request))
      case 'statvfs@openssh.com':
        return extendedReply(id, fileSystem(request.path))
      case 'fstatvfs@openssh.com':
        return extendedReply(id, openFileSystem(this.#fd(request.handle)))
      case 'limits@openssh.com':
        return extendedReply(id, limits())
      case 'users-groups-by-id@openssh.com':
        return extendedReply(id, idNames(this.#names, request.users, request.groups))
      case 'unknown':
        throw new Refusal(STATUS.unsupported)
    }
  }

  #fd(handle: Buffer): number {
    return this.#handles.file(handle).fd
  }

  #open(path: Buffer, flags: number, attributes: FileAttributes): Buffer {
    this.#handles.checkRoom()
    const fd = openSync(path, systemFlags(flags), modeOf(attributes, FILE_MODE))
    return this.#handles.addFile({ fd, path: Buffer.from(path) })
  }

  #read(id: number, handle: Buffer, offset: bigint, length: number): Buffer {
    const fd = this.#fd(handle)
    const position = positionOf(offset)
    const wanted = Math.min(length, MAX_DATA_BYTES)
    const count = wanted === 0 ? 0 : readSync(fd, this.#data, DATA_HEADER_BYTES, wanted, position)
    // A read of zero bytes is odd, but not end of file.
    if (count === 0 && wanted > 0) return status(id, STATUS.eof)
    return frameData(this.#data, id, count)
  }

  #write(handle: Buffer, offset: bigint, data: Buffer): void {
    const fd = this.#fd(handle)
    const position = positionOf(offset)
    for (let done = 0; done < data.length;) {
      // A file opened for appending ignores the position (open(2)).
      done += writeSync(fd, data, done, data.length - done, position + done)
    }
  }

  #sync(handle: Buffer): void {
    const file = this.#handles.find(handle)
    if (!file) throw new Refusal(STATUS.noSuchFile)
    fsyncSync(file.fd)
  }

  #opendir(path: Buffer): Buffer {
    this.#handles.checkRoom()
    return this.#handles.addListing(new Listing(path, this.#names))
  }

  #readdir(id: number, handle: Buffer): Buffer {
    const names = this.#handles.listing(handle).next()
    return names.length === 0 ? status(id, STATUS.eof) : encodeReply({ type: 'name', id, names })
  }

  #home(user: Buffer): Buffer {
    const name = user.toString('utf8')
    const home = name === '' || name === this.#order.name ? this.#order.home : homeOf(name)
    if (home === undefined) throw new Refusal(STATUS.failure)
    return Buffer.from(home)
  }
}

function systemFlags(flags: number): number {
  const both = OPEN.read | OPEN.write
  const access = (flags & both) === both ? constants.O_RDWR : flags & OPEN.write ? constants.O_WRONLY : 0
  return (
    access |
    (flags & OPEN.append ? constants.O_APPEND : 0) |
    (flags & OPEN.create ? constants.O_CREAT : 0) |
    (flags & OPEN.truncate ? constants.O_TRUNC : 0) |
    (flags & OPEN.exclusive ? constants.O_EXCL : 0)
  )
}

/** Marks calls that return nothing but success. */
function nothing(_done: void): undefined {
  return undefined
}

function handleReply(id: number, handle: Buffer): Buffer {
  return encodeReply({ type: 'handle', id, handle })
}

function attributesReply(id: number, attributes: FileAttributes): Buffer {
  return encodeReply({ type: 'attrs', id, attributes })
}

/** One path; it is its own long name, and has no attributes. */
function nameReply(id: number, path: Buffer): Buffer {
  return encodeReply({ type: 'name', id, names: [{ name: path, longName: path, attributes: {} }] })
}

function extendedReply(id: number, payload: Buffer): Buffer {
  return encodeReply({ type: 'extendedReply', id, payload })
}
