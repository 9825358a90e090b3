// Attributes of a file (section 5): only those that are present are sent.
import { ATTRIBUTE } from './protocol.ts'
import type { Buffer } from '#buffer'
import type { WireReader, WireWriter } from './wire.ts'

export interface FileAttributes {
  /** Bytes. */
  readonly size?: bigint
  readonly owner?: { readonly uid: number; readonly gid: number }
  /** `st_mode`: file type and permission bits. */
  readonly permissions?: number
  /** Seconds since 1970, unsigned 32 bits. */
  readonly times?: { readonly accessed: number; readonly modified: number }
  readonly extended?: readonly (readonly [type: Buffer, data: Buffer])[]
}

export const attributes = {
  /** @throws {MalformedPacket} */
  read(reader: WireReader): FileAttributes {
    const flags = reader.uint32()
    return {
      ...(flags & ATTRIBUTE.size ? { size: reader.uint64() } : {}),
      ...(flags & ATTRIBUTE.owner ? { owner: { uid: reader.uint32(), gid: reader.uint32() } } : {}),
      ...(flags & ATTRIBUTE.permissions ? { permissions: reader.uint32() } : {}),
      ...(flags & ATTRIBUTE.times ? { times: { accessed: reader.uint32(), modified: reader.uint32() } } : {}),
      ...(flags & ATTRIBUTE.extended ? { extended: readExtended(reader) } : {}),
    }
  },

  write(writer: WireWriter, value: FileAttributes): void {
    const { size, owner, permissions, times, extended } = value
    writer.uint32(
      (size === undefined ? 0 : ATTRIBUTE.size) |
        (owner ? ATTRIBUTE.owner : 0) |
        (permissions === undefined ? 0 : ATTRIBUTE.permissions) |
        (times ? ATTRIBUTE.times : 0) |
        (extended ? ATTRIBUTE.extended : 0),
    )
    if (size !== undefined) writer.uint64(size)
    if (owner) {
      writer.uint32(owner.uid)
      writer.uint32(owner.gid)
    }
    if (permissions !== undefined) writer.uint32(permissions)
    if (times) {
      writer.uint32(times.accessed)
      writer.uint32(times.modified)
    }
    if (extended) writeExtended(writer, extended)
  },
}

function readExtended(reader: WireReader): [Buffer, Buffer][] {
  const count = reader.uint32()
  const list: [Buffer, Buffer][] = []
  for (let index = 0; index < count; index += 1) list.push([reader.string(), reader.string()])
  return list
}

function writeExtended(writer: WireWriter, list: NonNullable<FileAttributes['extended']>): void {
  writer.uint32(list.length)
  for (const [type, data] of list) {
    writer.string(type)
    writer.string(data)
  }
}
