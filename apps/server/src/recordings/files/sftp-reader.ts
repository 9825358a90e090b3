// Observes an SFTP session: a request and its answer make an operation; so do an open file and its pieces.
import { PacketBuffer } from '@bowline/sftp/packets'
import { OPEN, STATUS } from '@bowline/sftp/protocol'
import { type Reply, decodeReply } from '@bowline/sftp/replies'
import { type Request, decodeRequest } from '@bowline/sftp/requests'
import { type ContentHash, createContentHash } from './content-hash.ts'
import { type FileListener, type FileOperation, type FileReader, pathText } from './operation.ts'

/** More than any client has outstanding; more would only serve to exhaust memory. */
const MAX_PENDING = 8_192
const MAX_OPEN = 4_096

interface OpenFile {
  readonly path: string
  readonly isWritten: boolean
  up?: ContentHash
  down?: ContentHash
  failure?: string
}

/** A request that awaits its answer. */
type Pending =
  | { readonly type: 'operation'; readonly operation: Omit<FileOperation, 'result'> }
  | { readonly type: 'open'; readonly path: string; readonly isWritten: boolean }
  | { readonly type: 'read'; readonly handle: string; readonly offset: number }
  | { readonly type: 'write'; readonly handle: string }
  | { readonly type: 'close'; readonly handle: string }

export function createSftpReader(listener: FileListener): FileReader {
  const requests = new PacketBuffer()
  const replies = new PacketBuffer()
  const pending = new Map<number, Pending>()
  const files = new Map<string, OpenFile>()
  let isLost = false

  function asked(request: Request): void {
    const awaited = expect(request)
    if (!awaited || !('id' in request)) return
    if (pending.size >= MAX_PENDING) throw new RangeError(`more than ${MAX_PENDING} requests wait for an answer`)
    pending.set(request.id, awaited)
  }

  function expect(request: Request): Pending | undefined {
    switch (request.type) {
      case 'open': {
        const isWritten = (request.flags & OPEN.write) !== 0
        return { type: 'open', path: pathText(request.path), isWritten }
      }
      case 'read':
        return { type: 'read', handle: keyOf(request.handle), offset: Number(request.offset) }
      case 'write': {
        const handle = keyOf(request.handle)
        const file = files.get(handle)
        if (file) (file.up ??= createContentHash()).add(Number(request.offset), request.data)
        return { type: 'write', handle }
      }
      case 'close':
        return { type: 'close', handle: keyOf(request.handle) }
      case 'remove':
      case 'mkdir':
      case 'rmdir':
        return operation(request.type, request.path)
      case 'rename':
      case 'posix-rename@openssh.com':
        return operation('rename', request.from, request.to)
      case 'hardlink@openssh.com':
        return operation('hardlink', request.to, request.from)
      case 'symlink':
        return operation('symlink', request.path, request.target)
      case 'setstat':
      case 'lsetstat@openssh.com':
        return operation('attributes', request.path)
      default:
        return undefined
    }
  }

  function answered(reply: Reply): void {
    if (!('id' in reply)) return
    const awaited = pending.get(reply.id)
    if (!awaited) return
    pending.delete(reply.id)
    const failure = reply.type === 'status' && reply.code !== STATUS.ok ? resultOf(reply) : undefined
    switch (awaited.type) {
      case 'operation':
        return listener.done({ ...awaited.operation, result: failure ?? 'ok' })
      case 'open':
        return opened(awaited, reply, failure)
      case 'read': {
        const file = files.get(awaited.handle)
        if (file && reply.type === 'data') (file.down ??= createContentHash()).add(awaited.offset, reply.data)
        return
      }
      case 'write': {
        const file = files.get(awaited.handle)
        if (file && failure !== undefined) file.failure ??= failure
        return
      }
      case 'close':
        return finish(awaited.handle, failure)
    }
  }

  function opened({ path, isWritten }: Pending & { type: 'open' }, reply: Reply, failure?: string): void {
    if (reply.type === 'handle') {
      if (files.size >= MAX_OPEN) throw new RangeError(`more than ${MAX_OPEN} files are open`)
      files.set(keyOf(reply.handle), { path, isWritten })
    } else {
      listener.done({ operation: isWritten ? 'upload' : 'download', path, bytes: 0, result: failure ?? 'no answer' })
    }
  }

  function finish(handle: string, failure: string | undefined): void {
    const file = files.get(handle)
    if (!file) return
    files.delete(handle)
    const { path, up, down, isWritten } = file
    const result = file.failure ?? failure ?? 'ok'
    if (down) listener.done({ operation: 'download', path, ...down.end(), result })
    if (up || (isWritten && !down)) {
      listener.done({ operation: 'upload', path, ...(up ?? createContentHash()).end(), result })
    }
  }

  function read<T>(buffer: PacketBuffer, bytes: Uint8Array, decode: (packet: Buffer) => T, take: (read: T) => void) {
    if (isLost) return
    try {
      for (const packet of buffer.push(bytes)) take(decode(packet))
    } catch (error) {
      isLost = true
      listener.lost(error instanceof Error ? error.message : 'it is no SFTP')
    }
  }

  return {
    clientData: (bytes) => read(requests, bytes, decodeRequest, asked),
    deviceData: (bytes) => read(replies, bytes, decodeReply, answered),
    end() {
      for (const handle of files.keys()) finish(handle, 'interrupted')
    },
  }
}

function operation(name: FileOperation['operation'], path: Buffer, to?: Buffer): Pending {
  return {
    type: 'operation',
    operation: { operation: name, path: pathText(path), ...(to ? { to: pathText(to) } : {}) },
  }
}

const keyOf = (handle: Buffer): string => handle.toString('latin1')

function resultOf({ code, message }: Reply & { type: 'status' }): string {
  const name = Object.entries(STATUS).find(([, value]) => value === code)?.[0] ?? `status ${code}`
  return message === '' ? name : message.slice(0, 256)
}
