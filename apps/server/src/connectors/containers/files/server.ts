// Serves version 3 of SFTP (draft section 6) for a container without a server of its own: what requests ask for is done by
// helpers inside of it, as the person's account. Answers are those of OpenSSH's server.
import { EXTENSIONS, MAX_DATA_BYTES, MAX_PACKET_BYTES, OPEN, SFTP_VERSION, STATUS } from '@bowline/sftp/protocol'
import { type IdNames, longName } from '@bowline/sftp/long-name'
import type { FileAttributes } from '@bowline/sftp/attributes'
import { encodeReply, limitsReply, statvfsReply } from '@bowline/sftp/replies'
import type { Request } from '@bowline/sftp/requests'
import { Refusal, status } from '@bowline/sftp/status'
import type { ContainerAccount } from '../account.ts'
import { type CallOptions, type Word, ask } from './calls.ts'
import { OpenFile } from './file.ts'
import { Handles } from './handles.ts'
import { type Helpers, MAX_FILES } from './helpers.ts'
import { attributesOf, listOf, statsOf } from './stats.ts'

const FILE_MODE = 0o666
const FOLDER_MODE = 0o777
const PERMISSION_BITS = 0o7777
/** Names per response: with names of 255 bytes and their long names well below the largest packet. */
const BATCH_NAMES = 100
/** Largest list of a folder, in bytes: some hundred thousand names. */
const LIST_BYTES = 16_777_216
/** Not offered: copies within the container, and names of ids, which long names have. */
const MISSING = new Set(['copy-data', 'users-groups-by-id@openssh.com'])
const OFFERED = EXTENSIONS.filter(([name]) => !MISSING.has(name))

type Asked = Exclude<Request, { type: 'init' }>

export class ContainerFileServer {
  readonly #helpers: Helpers
  readonly #account: ContainerAccount
  readonly #names: IdNames
  readonly #handles = new Handles()

  /** @param names of the container's accounts and groups */
  constructor(helpers: Helpers, account: ContainerAccount, names: IdNames) {
    this.#helpers = helpers
    this.#account = account
    this.#names = names
  }

  /**
   * Writes may be asked for one after another without waiting; everything else waits for the answers before.
   * @returns the response packet with its length
   * @throws {EngineError} when the container cannot be asked any more
   */
  async answer(request: Request): Promise<Buffer> {
    if (request.type === 'init') return encodeReply({ type: 'version', version: SFTP_VERSION, extensions: OFFERED })
    const { id } = request
    try {
      if (request.type === 'write') await this.#handles.file(request.handle).write(request.offset, request.data)
      else return (await this.#reply(request)) ?? status(id, STATUS.ok)
      return status(id, STATUS.ok)
    } catch (error) {
      if (error instanceof Refusal) return status(id, error.status)
      throw error
    }
  }

  /** @returns undefined for plain success. @throws {Refusal} and {EngineError} */
  async #reply(request: Asked): Promise<Buffer | undefined> {
    const { id } = request
    const path = (bytes: Buffer): Buffer => absolute(bytes, this.#account.home)
    switch (request.type) {
      case 'open':
        return handleReply(id, await this.#open(path(request.path), request.flags, request.attributes))
      case 'close':
        return this.#close(request.handle)
      case 'read': {
        const data = await this.#handles.file(request.handle).read(request.offset, request.length)
        if (data.length === 0 && request.length > 0) return status(id, STATUS.eof)
        return encodeReply({ type: 'data', id, data })
      }
      case 'stat':
        return this.#attributes(id, 'attributes', ['-L', path(request.path)])
      case 'lstat':
        return this.#attributes(id, 'attributes', ['', path(request.path)])
      case 'fstat': {
        const { place, path: name } = this.#handles.file(request.handle)
        return attributesReply(id, await ask(place.helper, 'held', [place.fd, name]))
      }
      case 'setstat':
        return this.#set(path(request.path), request.attributes, '')
      case 'lsetstat@openssh.com':
        return this.#set(path(request.path), request.attributes, '-h')
      case 'fsetstat': {
        const file = this.#handles.file(request.handle)
        file.forget()
        return this.#setOpen(file, request.attributes)
      }
      case 'opendir':
        return handleReply(id, await this.#opendir(path(request.path)))
      case 'readdir': {
        const names = this.#handles.list(request.handle).splice(0, BATCH_NAMES)
        return names.length === 0 ? status(id, STATUS.eof) : encodeReply({ type: 'name', id, names })
      }
      case 'remove':
        return this.#do('drop', path(request.path))
      case 'mkdir':
        return this.#do('folder', modeOf(request.attributes, FOLDER_MODE), path(request.path))
      case 'rmdir':
        return this.#do('rmdir', path(request.path))
      case 'rename':
        return this.#do('move_new', path(request.from), path(request.to))
      case 'posix-rename@openssh.com':
        return this.#do('move', path(request.from), path(request.to))
      case 'symlink':
        return this.#do('symlink', plain(request.target), path(request.path))
      case 'hardlink@openssh.com':
        return this.#do('hardlink', path(request.from), path(request.to))
      case 'readlink':
        return nameReply(id, await this.#line('target', path(request.path)))
      case 'realpath':
        return nameReply(id, await this.#line('canonical', path(request.path)))
      case 'expand-path@openssh.com':
        return nameReply(id, await this.#line('canonical', path(this.#expanded(request.path))))
      case 'home-directory':
        return nameReply(id, this.#home(request.user.toString()))
      case 'fsync@openssh.com': {
        const { place, path: name } = this.#handles.file(request.handle)
        return void (await ask(place.helper, 'flush', [place.fd, name]))
      }
      case 'statvfs@openssh.com':
        return this.#system(id, path(request.path))
      case 'fstatvfs@openssh.com':
        return this.#system(id, this.#handles.file(request.handle).path)
      case 'limits@openssh.com':
        return encodeReply({ type: 'extendedReply', id, payload: limits() })
      default:
        throw new Refusal(STATUS.unsupported)
    }
  }

  async #ask(name: string, words: readonly Word[], options?: CallOptions): Promise<Buffer> {
    return ask(await this.#helpers.first(), name, words, options)
  }

  async #do(name: string, ...words: readonly Word[]): Promise<undefined> {
    await this.#ask(name, words)
    for (const file of this.#handles.files()) file.forget()
  }

  /** What a program printed, without the end of the line. */
  async #line(name: string, word: Word): Promise<Buffer> {
    return (await this.#ask(name, [word])).subarray(0, -1)
  }

  async #attributes(id: number, name: string, words: readonly Word[]): Promise<Buffer> {
    return attributesReply(id, await this.#ask(name, words))
  }

  async #open(path: Buffer, flags: number, attributes: FileAttributes): Promise<Buffer> {
    const mode = modeOf(attributes, FILE_MODE)
    const creates = (flags & OPEN.create) !== 0 ? '1' : ''
    const place = await this.#helpers.take()
    try {
      const words = [place.fd, operatorOf(flags), creates, mode, path]
      await ask(place.helper, 'open', words, { isDirect: true })
    } catch (error) {
      this.#helpers.give(place)
      throw error
    }
    for (const file of this.#handles.files()) file.forget()
    return this.#handles.add(new OpenFile(place, path, flags))
  }

  async #close(handle: Buffer): Promise<undefined> {
    const closed = this.#handles.remove(handle)
    if (!(closed instanceof OpenFile)) return
    const { place } = closed
    await ask(place.helper, 'close', [place.fd], { isDirect: true })
    this.#helpers.give(place)
  }

  async #opendir(path: Buffer): Promise<Buffer> {
    this.#handles.checkRoom()
    const listed = listOf(await this.#ask('list', [path], { maxBytes: LIST_BYTES }))
    return this.#handles.add(
      listed.map(([name, stats]) => {
        const mtime = new Date(stats.modified * 1_000)
        return { name, longName: longName(name, { ...stats, mtime }, this.#names), attributes: attributesOf(stats) }
      }),
    )
  }

  /** Sets all attributes that are present, also after one that fails; the last failure counts. */
  async #set(path: Buffer, attributes: FileAttributes, link: '' | '-h'): Promise<undefined> {
    const { size, permissions, times, owner } = attributes
    const calls: [string, Word[]][] = []
    if (size !== undefined && link === '') calls.push(['size', [String(size), path]])
    if (permissions !== undefined && link === '') calls.push(['mode', [octal(permissions), path]])
    if (times) calls.push(['dates', [link, stamp(times.accessed), stamp(times.modified), path]])
    if (owner) calls.push(['owner', [link, `${owner.uid}:${owner.gid}`, path]])
    let failure: unknown
    for (const [name, words] of calls) {
      try {
        await this.#do(name, ...words)
      } catch (error) {
        failure = error
      }
    }
    if (failure !== undefined) throw failure
  }

  /** Clients set the size that a file has already, also of one that its account may not open again to write. */
  async #setOpen({ place, path }: OpenFile, { size, ...others }: FileAttributes): Promise<undefined> {
    const now = statsOf((await ask(place.helper, 'held', [place.fd, path])).toString('latin1'))
    return this.#set(path, size === undefined || size === now.size ? others : { ...others, size }, '')
  }

  async #system(id: number, path: Buffer): Promise<Buffer> {
    const said = (await this.#ask('system', [path])).toString('latin1').trim().split(' ')
    const numbers = said.map((word, index) =>
      index === 6 ? BigInt(`0x${word}`) & 0xffff_ffff_ffff_ffffn : BigInt(word),
    )
    const [frsize = 0n, blocks = 0n, bfree = 0n, bavail = 0n, files = 0n, ffree = 0n, fsid = 0n, namemax = 0n] = numbers
    const bytes = { bsize: frsize, frsize, blocks, bfree, bavail }
    const payload = statvfsReply.encode({ ...bytes, files, ffree, favail: ffree, fsid, flag: 0n, namemax })
    return encodeReply({ type: 'extendedReply', id, payload })
  }

  /** `~` and `~/…`; other people's homes are not looked up. */
  #expanded(path: Buffer): Buffer {
    const [, user = '', rest = ''] = /^~([^/]*)(\/[^]*)?$/.exec(path.toString('latin1')) ?? []
    if (path[0] !== TILDE) return path
    return Buffer.concat([this.#home(user), Buffer.from(rest, 'latin1')])
  }

  #home(user: string): Buffer {
    if (user !== '' && user !== this.#account.name) throw new Refusal(STATUS.noSuchFile)
    return Buffer.from(this.#account.home)
  }
}

const TILDE = 0x7e
const SLASH = 0x2f

/** @throws {Refusal} for what no path can contain */
function plain(path: Buffer): Buffer {
  if (path.includes(0)) throw new Refusal(STATUS.badMessage)
  return path
}

/** Paths are seen from the home. */
function absolute(path: Buffer, home: string): Buffer {
  if (plain(path)[0] === SLASH) return Buffer.from(path)
  return Buffer.concat([Buffer.from(home), Buffer.from('/'), path.length === 0 ? Buffer.from('.') : path])
}

/** How the shell opens a file; `x` and `+` are the script's own. */
function operatorOf(flags: number): string {
  const has = (flag: number): boolean => (flags & flag) !== 0
  if (!has(OPEN.write) && !has(OPEN.append)) return '<'
  if (has(OPEN.exclusive) && has(OPEN.create)) return 'x'
  if (has(OPEN.append)) return '>>'
  if (!has(OPEN.truncate)) return '<>'
  return has(OPEN.read) ? '+' : '>'
}

const octal = (mode: number): string => (mode & PERMISSION_BITS).toString(8)
const modeOf = ({ permissions }: FileAttributes, otherwise: number): string => octal(permissions ?? otherwise)

/** As touch -t has it, in UTC. @param seconds since 1970 */
function stamp(seconds: number): string {
  const [, day = '', minute = '', second = ''] =
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):(\d\d)/.exec(new Date(seconds * 1_000).toISOString()) ?? []
  return `${day}${minute}`.replaceAll(/[-:]/g, '').concat('.', second)
}

function attributesReply(id: number, said: Buffer): Buffer {
  return encodeReply({ type: 'attrs', id, attributes: attributesOf(statsOf(said.toString('latin1'))) })
}

function handleReply(id: number, handle: Buffer): Buffer {
  return encodeReply({ type: 'handle', id, handle })
}

/** One path; it is its own long name, and has no attributes. */
function nameReply(id: number, path: Buffer): Buffer {
  return encodeReply({ type: 'name', id, names: [{ name: path, longName: path, attributes: {} }] })
}

function limits(): Buffer {
  return limitsReply.encode({
    packetBytes: BigInt(MAX_PACKET_BYTES),
    readBytes: BigInt(MAX_DATA_BYTES),
    writeBytes: BigInt(MAX_DATA_BYTES),
    openHandles: BigInt(MAX_FILES),
  })
}
