// Server replies: section 7, and the payloads of OpenSSH's extended replies.
import {
  attributes,
  bytes,
  names,
  optionalText,
  pairs,
  readFields,
  rest,
  uint32,
  uint64,
  type Fields,
  type Values,
  writeFields,
} from './fields.ts'
import { PACKET } from './protocol.ts'
import { MalformedPacket, WireReader, WireWriter } from './wire.ts'

const id = uint32
/** Fields of each reply, in the order of the wire. */
const REPLIES = {
  version: { version: uint32, extensions: pairs },
  status: { id, code: uint32, message: optionalText, language: optionalText },
  handle: { id, handle: bytes },
  data: { id, data: bytes },
  name: { id, names },
  attrs: { id, attributes },
  /** The payload depends on the request: {@link statvfsReply}, {@link limitsReply}, {@link idNamesReply}. */
  extendedReply: { id, payload: rest },
} as const
type ReplyType = keyof typeof REPLIES
type ByType = { [T in ReplyType]: { readonly type: T } & Values<(typeof REPLIES)[T]> }
export type Reply = ByType[ReplyType]

const typeOf = new Map<number, ReplyType>(
  Object.keys(REPLIES).map((type) => [PACKET[type as ReplyType], type as ReplyType]),
)

/**
 * @param packet without its length; the reply holds views of it
 * @throws {MalformedPacket} also for an unknown type
 */
export function decodeReply(packet: Uint8Array): Reply {
  const reader = new WireReader(packet)
  const code = reader.byte()
  const type = typeOf.get(code)
  if (!type) throw new MalformedPacket(`no reply has type ${code}`)
  return { type, ...readFields(REPLIES[type], reader) } as Reply
}

/** @returns the packet with its length */
export function encodeReply(reply: Reply): Buffer {
  const writer = new WireWriter()
  writer.uint32(0)
  writer.byte(PACKET[reply.type])
  writeFields(REPLIES[reply.type], writer, reply as never)
  writer.patchUint32(0, writer.length - 4)
  return writer.bytes()
}

/** Bytes before the data of a `data` packet: length, type, id and the data's own length. */
export const DATA_HEADER_BYTES = 13

/**
 * Frames a `data` packet around data that is already in place.
 * @param packet memory with the data from {@link DATA_HEADER_BYTES} on
 * @param length of the data
 * @returns the packet: a view of `packet`
 */
export function frameData(packet: Buffer, request: number, length: number): Buffer {
  packet.writeUInt32BE(DATA_HEADER_BYTES - 4 + length, 0)
  packet.writeUInt8(PACKET.data, 4)
  packet.writeUInt32BE(request, 5)
  packet.writeUInt32BE(length, 9)
  return packet.subarray(0, DATA_HEADER_BYTES + length)
}

/** Payload of the reply to `statvfs@openssh.com` and `fstatvfs@openssh.com`; names as in statvfs(3). */
export const statvfsReply = payload({
  bsize: uint64,
  frsize: uint64,
  blocks: uint64,
  bfree: uint64,
  bavail: uint64,
  files: uint64,
  ffree: uint64,
  favail: uint64,
  fsid: uint64,
  /** 1: read-only, 2: no set-user-id. */
  flag: uint64,
  namemax: uint64,
})
export type Statvfs = ReturnType<typeof statvfsReply.decode>

/** Payload of the reply to `limits@openssh.com`; bytes, 0 is no limit. */
export const limitsReply = payload({
  packetBytes: uint64,
  readBytes: uint64,
  writeBytes: uint64,
  openHandles: uint64,
})

/** Payload of the reply to `users-groups-by-id@openssh.com`: a run of strings each, empty where an id has no name. */
export const idNamesReply = payload({ users: bytes, groups: bytes })

function payload<F extends Fields>(fields: F) {
  return {
    /** @throws {MalformedPacket} */
    decode: (from: Uint8Array): Values<F> => readFields(fields, new WireReader(from)),
    encode(values: Values<F>): Buffer {
      const writer = new WireWriter()
      writeFields(fields, writer, values)
      return writer.bytes()
    },
  }
}
