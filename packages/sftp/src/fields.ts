// Message fields. A message is a record of fields in wire order; its type, decoder and encoder are all derived from
// that one description.
import { Buffer } from '#buffer'
import { attributes, type FileAttributes } from './attributes.ts'
import type { WireReader, WireWriter } from './wire.ts'

export interface Field<T> {
  read(reader: WireReader): T
  write(writer: WireWriter, value: T): void
}
export type Fields = Readonly<Record<string, Field<unknown>>>
/** The value types of a record of fields. */
export type Values<F> = { readonly [Name in keyof F]: F[Name] extends Field<infer T> ? T : never }

export const uint32: Field<number> = {
  read: (reader) => reader.uint32(),
  write: (writer, value) => writer.uint32(value),
}
export const uint64: Field<bigint> = {
  read: (reader) => reader.uint64(),
  write: (writer, value) => writer.uint64(value),
}
/** Exact bytes: paths and handles are not text. */
export const bytes: Field<Buffer> = {
  read: (reader) => reader.string(),
  write: (writer, value) => writer.string(value),
}
export const text: Field<string> = {
  read: (reader) => reader.string().toString('utf8'),
  write: (writer, value) => writer.string(Buffer.from(value)),
}
/** Text that older servers omit at the end of a packet. */
export const optionalText: Field<string> = {
  read: (reader) => (reader.left === 0 ? '' : text.read(reader)),
  write: (writer, value) => text.write(writer, value),
}
/** Everything up to the end of the packet. */
export const rest: Field<Buffer> = {
  read: (reader) => reader.rest(),
  write: (writer, value) => writer.raw(value),
}
export { attributes }

/** A name with its `ls -l` line and attributes (section 7). */
export interface NameEntry {
  readonly name: Buffer
  readonly longName: Buffer
  readonly attributes: FileAttributes
}
export const names: Field<readonly NameEntry[]> = {
  read: (reader) => {
    const count = reader.uint32()
    const entries: NameEntry[] = []
    // The count is untrusted: each iteration reads, and fails at the end of the packet.
    for (let index = 0; index < count; index += 1) {
      entries.push({ name: reader.string(), longName: reader.string(), attributes: attributes.read(reader) })
    }
    return entries
  },
  write: (writer, entries) => {
    writer.uint32(entries.length)
    for (const entry of entries) {
      writer.string(entry.name)
      writer.string(entry.longName)
      attributes.write(writer, entry.attributes)
    }
  },
}

/** Name and data of the extensions announced by init and version (section 4). */
export const pairs: Field<readonly (readonly [name: string, data: string])[]> = {
  read: (reader) => {
    const list: [string, string][] = []
    while (reader.left > 0) list.push([text.read(reader), text.read(reader)])
    return list
  },
  write: (writer, list) => {
    for (const [name, data] of list) {
      text.write(writer, name)
      text.write(writer, data)
    }
  },
}

/** @throws {MalformedPacket} */
export function readFields<F extends Fields>(fields: F, reader: WireReader): Values<F> {
  const values: Record<string, unknown> = {}
  for (const name in fields) values[name] = fields[name]?.read(reader)
  return values as Values<F>
}

export function writeFields<F extends Fields>(fields: F, writer: WireWriter, values: Values<F>): void {
  for (const name in fields) fields[name]?.write(writer, values[name])
}
