// Client requests: section 6, and OpenSSH's extensions as separate request types.
import { attributes, bytes, pairs, readFields, rest, text, uint32, uint64, type Values, writeFields } from './fields.ts'
import { PACKET } from './protocol.ts'
import { WireReader, WireWriter } from './wire.ts'

const id = uint32
const byHandle = { id, handle: bytes }
const byPath = { id, path: bytes }
const twoPaths = { id, from: bytes, to: bytes }

/** Fields of each request, in the order of the wire. */
const REQUESTS = {
  init: { version: uint32, extensions: pairs },
  open: { id, path: bytes, flags: uint32, attributes },
  close: byHandle,
  read: { id, handle: bytes, offset: uint64, length: uint32 },
  write: { id, handle: bytes, offset: uint64, data: bytes },
  lstat: byPath,
  fstat: byHandle,
  setstat: { id, path: bytes, attributes },
  fsetstat: { id, handle: bytes, attributes },
  opendir: byPath,
  readdir: byHandle,
  remove: byPath,
  mkdir: { id, path: bytes, attributes },
  rmdir: byPath,
  realpath: byPath,
  stat: byPath,
  rename: twoPaths,
  readlink: byPath,
  // OpenSSH sends the target first, contrary to the draft, and every implementation follows it.
  symlink: { id, target: bytes, path: bytes },
} as const

/** Fields of each extended request, after its id and name. */
const EXTENDED = {
  'posix-rename@openssh.com': { from: bytes, to: bytes },
  'statvfs@openssh.com': { path: bytes },
  'fstatvfs@openssh.com': { handle: bytes },
  'hardlink@openssh.com': { from: bytes, to: bytes },
  'fsync@openssh.com': { handle: bytes },
  'lsetstat@openssh.com': { path: bytes, attributes },
  'limits@openssh.com': {},
  'expand-path@openssh.com': { path: bytes },
  'copy-data': { from: bytes, fromOffset: uint64, length: uint64, to: bytes, toOffset: uint64 },
  'home-directory': { user: bytes },
  'users-groups-by-id@openssh.com': { users: bytes, groups: bytes },
} as const

type Plain = { [T in keyof typeof REQUESTS]: { readonly type: T } & Values<(typeof REQUESTS)[T]> }
type Extended = {
  [T in keyof typeof EXTENDED]: { readonly type: T; readonly id: number } & Values<(typeof EXTENDED)[T]>
}
/** A packet or extension that this codec does not know. */
export interface UnknownRequest {
  readonly type: 'unknown'
  readonly id: number
  /** Packet type. */
  readonly code: number
  /** Extension name. */
  readonly name?: string
  readonly payload: Uint8Array
}
export type Request = Plain[keyof Plain] | Extended[keyof Extended] | UnknownRequest

type PlainType = keyof typeof REQUESTS
type ExtendedType = keyof typeof EXTENDED
const typeOf = new Map<number, PlainType>(
  Object.keys(REQUESTS).map((type) => [PACKET[type as PlainType], type as PlainType]),
)

/**
 * Decodes a request. Trailing bytes after a message's fields are ignored, as in OpenSSH.
 * @param packet without its length; the request holds views of it
 * @throws {MalformedPacket}
 */
export function decodeRequest(packet: Uint8Array): Request {
  const reader = new WireReader(packet)
  const code = reader.byte()
  const type = typeOf.get(code)
  if (type) return { type, ...readFields(REQUESTS[type], reader) } as Request
  const request = reader.uint32()
  if (code !== PACKET.extended) return { type: 'unknown', id: request, code, payload: reader.rest() }
  const name = text.read(reader)
  if (!isExtended(name)) return { type: 'unknown', id: request, code, name, payload: rest.read(reader) }
  return { type: name, id: request, ...readFields(EXTENDED[name], reader) } as Request
}

/** A request to encode: its byte fields may be any bytes. */
export type Outgoing<R> = R extends unknown
  ? { readonly [K in keyof R]: R[K] extends Buffer ? Uint8Array : R[K] }
  : never

/** @returns the packet with its length */
export function encodeRequest(request: Outgoing<Request>): Buffer {
  const writer = new WireWriter()
  writer.uint32(0)
  writeRequest(writer, request as Request)
  writer.patchUint32(0, writer.length - 4)
  return writer.bytes()
}

function writeRequest(writer: WireWriter, request: Request): void {
  const { type } = request
  if (type === 'unknown') {
    writer.byte(request.code)
    writer.uint32(request.id)
    if (request.name !== undefined) text.write(writer, request.name)
    writer.raw(request.payload)
  } else if (isExtended(type)) {
    writer.byte(PACKET.extended)
    writer.uint32('id' in request ? request.id : 0)
    text.write(writer, type)
    writeFields(EXTENDED[type], writer, request as never)
  } else {
    writer.byte(PACKET[type])
    writeFields(REQUESTS[type], writer, request as never)
  }
}

function isExtended(name: string): name is ExtendedType {
  return Object.hasOwn(EXTENDED, name)
}
