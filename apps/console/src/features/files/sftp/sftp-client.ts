// A client of SFTP version 3 (draft-ietf-secsh-filexfer-02), on whatever carries the bytes. Requests may be outstanding
// in any number; their senders bound them.
import type { FileAttributes } from '@bowline/sftp/attributes'
import type { NameEntry } from '@bowline/sftp/fields'
import { PacketBuffer } from '@bowline/sftp/packets'
import { SFTP_VERSION, STATUS } from '@bowline/sftp/protocol'
import { type Reply, decodeReply } from '@bowline/sftp/replies'
import { type Outgoing, type Request, encodeRequest } from '@bowline/sftp/requests'
import { filesMessages } from '../messages.ts'
import { bytesOf, textOf } from './paths.ts'
import { Interrupted, SftpError } from './sftp-error.ts'

type WithoutId<R> = R extends { readonly id: number } ? Omit<R, 'id'> : never
type Ask = WithoutId<Outgoing<Exclude<Request, { type: 'unknown' }>>>

interface Waiting {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: Error) => void
}

export type Handle = Uint8Array

export class SftpClient {
  readonly #send: (bytes: Uint8Array) => void
  readonly #packets = new PacketBuffer()
  readonly #waiting = new Map<number, Waiting>()
  #version: Waiting | undefined
  #extensions = new Set<string>()
  #id = 0
  #end: Error | undefined

  constructor(send: (bytes: Uint8Array) => void) {
    this.#send = send
  }

  /** Takes bytes of the server. What is no SFTP ends the client. */
  receive(bytes: Uint8Array): void {
    if (this.#end) return
    try {
      // The packet's memory is used again; what its fields are views of must stay.
      for (const packet of this.#packets.push(bytes)) this.#answered(decodeReply(new Uint8Array(packet)))
    } catch (error) {
      this.end(new Interrupted(filesMessages.errors.notUnderstood, { cause: error }))
    }
  }

  /** No more answers follow: everything outstanding fails. */
  end(error: Error): void {
    if (this.#end) return
    this.#end = error
    this.#version?.reject(error)
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }

  /** Section 4. @throws {Error} for a server of another version */
  async start(): Promise<void> {
    const reply = await new Promise<Reply>((resolve, reject) => {
      if (this.#end) return reject(this.#end)
      this.#version = { resolve, reject }
      this.#send(encodeRequest({ type: 'init', version: SFTP_VERSION, extensions: [] }))
    })
    if (reply.type !== 'version' || reply.version !== SFTP_VERSION) throw new Error(filesMessages.errors.version)
    this.#extensions = new Set(reply.extensions.map(([name]) => name))
  }

  /** Whether the server has announced an extension. */
  offers(extension: string): boolean {
    return this.#extensions.has(extension)
  }

  /** The canonical path. '' is the folder that the session begins in. */
  async realpath(path: string): Promise<string> {
    return textOf(await this.#name({ type: 'realpath', path: bytesOf(path === '' ? '.' : path) }))
  }

  /** What a symbolic link says. */
  async readlink(path: string): Promise<string> {
    return textOf(await this.#name({ type: 'readlink', path: bytesOf(path) }))
  }

  /** Follows symbolic links. */
  stat(path: string): Promise<FileAttributes> {
    return this.#attributes({ type: 'stat', path: bytesOf(path) })
  }

  lstat(path: string): Promise<FileAttributes> {
    return this.#attributes({ type: 'lstat', path: bytesOf(path) })
  }

  fstat(handle: Handle): Promise<FileAttributes> {
    return this.#attributes({ type: 'fstat', handle })
  }

  setAttributes(handle: Handle, attributes: FileAttributes): Promise<void> {
    return this.#done({ type: 'fsetstat', handle, attributes })
  }

  makeFolder(path: string): Promise<void> {
    return this.#done({ type: 'mkdir', path: bytesOf(path), attributes: {} })
  }

  removeFile(path: string): Promise<void> {
    return this.#done({ type: 'remove', path: bytesOf(path) })
  }

  removeFolder(path: string): Promise<void> {
    return this.#done({ type: 'rmdir', path: bytesOf(path) })
  }

  /** Fails when the new name exists. */
  rename(from: string, to: string): Promise<void> {
    return this.#done({ type: 'rename', from: bytesOf(from), to: bytesOf(to) })
  }

  /** Puts a file in the place of another one: at once where the server can, else so that one of them is there at the end. */
  async replace(from: string, to: string): Promise<void> {
    if (this.offers('posix-rename@openssh.com')) {
      return this.#done({ type: 'posix-rename@openssh.com', from: bytesOf(from), to: bytesOf(to) })
    }
    const aside = `${from}.replaced`
    await this.rename(to, aside)
    try {
      await this.rename(from, to)
    } catch (error) {
      await this.rename(aside, to).catch(() => undefined)
      throw error
    }
    await this.removeFile(aside)
  }

  /** @param flags of OPEN */
  open(path: string, flags: number, attributes: FileAttributes = {}): Promise<Handle> {
    return this.#handle({ type: 'open', path: bytesOf(path), flags, attributes })
  }

  openFolder(path: string): Promise<Handle> {
    return this.#handle({ type: 'opendir', path: bytesOf(path) })
  }

  close(handle: Handle): Promise<void> {
    return this.#done({ type: 'close', handle })
  }

  /** Some of the names of a folder; undefined after the last. */
  async names(handle: Handle): Promise<readonly NameEntry[] | undefined> {
    const reply = await this.#ask({ type: 'readdir', handle })
    if (isEnd(reply)) return undefined
    return reply.type === 'name' ? reply.names : unexpected(reply)
  }

  /** @returns fewer bytes than asked for where the server likes; undefined at the end of the file */
  async read(handle: Handle, offset: number, length: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const reply = await this.#ask({ type: 'read', handle, offset: BigInt(offset), length })
    if (isEnd(reply)) return undefined
    return reply.type === 'data' ? new Uint8Array(reply.data) : unexpected(reply)
  }

  write(handle: Handle, offset: number, data: Uint8Array): Promise<void> {
    return this.#done({ type: 'write', handle, offset: BigInt(offset), data })
  }

  async #done(request: Ask): Promise<void> {
    const reply = await this.#ask(request)
    if (reply.type !== 'status' || reply.code !== STATUS.ok) unexpected(reply)
  }

  async #handle(request: Ask): Promise<Handle> {
    const reply = await this.#ask(request)
    return reply.type === 'handle' ? reply.handle : unexpected(reply)
  }

  async #attributes(request: Ask): Promise<FileAttributes> {
    const reply = await this.#ask(request)
    return reply.type === 'attrs' ? reply.attributes : unexpected(reply)
  }

  async #name(request: Ask): Promise<Uint8Array> {
    const reply = await this.#ask(request)
    return (reply.type === 'name' ? reply.names[0]?.name : undefined) ?? unexpected(reply)
  }

  #ask(request: Ask): Promise<Reply> {
    if (this.#end) return Promise.reject(this.#end)
    this.#id = (this.#id + 1) % 0xffff_ffff
    const id = this.#id
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#send(encodeRequest({ ...request, id }))
    })
  }

  #answered(reply: Reply): void {
    if (reply.type === 'version') return this.#version?.resolve(reply)
    const waiting = this.#waiting.get(reply.id)
    if (!waiting) throw new Error('an answer to no question')
    this.#waiting.delete(reply.id)
    waiting.resolve(reply)
  }
}

const isEnd = (reply: Reply): boolean => reply.type === 'status' && reply.code === STATUS.eof

function unexpected(reply: Reply): never {
  if (reply.type === 'status') throw new SftpError(reply.code, reply.message)
  throw new Error(filesMessages.errors.notUnderstood)
}
