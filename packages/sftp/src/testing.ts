// Arbitrary messages for property tests.
import { Buffer } from 'node:buffer'
import * as fc from 'fast-check'
import type { FileAttributes } from './attributes.ts'
import type { Reply } from './replies.ts'
import type { Request } from './requests.ts'

const uint32 = fc.nat({ max: 0xffff_ffff })
const uint64 = fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn })
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array))
const text = fc.string({ maxLength: 40, unit: 'grapheme' })
const pairs = fc.array(fc.tuple(text, text), { maxLength: 4 })
const attributes: fc.Arbitrary<FileAttributes> = fc.record(
  {
    size: uint64,
    owner: fc.record({ uid: uint32, gid: uint32 }),
    permissions: uint32,
    times: fc.record({ accessed: uint32, modified: uint32 }),
    extended: fc.array(fc.tuple(bytes, bytes), { maxLength: 3 }),
  },
  { requiredKeys: [] },
)

const path = { id: uint32, path: bytes }
const handle = { id: uint32, handle: bytes }
const paths = { id: uint32, from: bytes, to: bytes }
/** The codec itself checks the fields: a message that lacks one does not round-trip. */
const message = <M extends Request | Reply>(type: M['type'], fields: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
  fc.record({ type: fc.constant(type), ...fields }) as unknown as fc.Arbitrary<M>
const request = message<Request>
const reply = message<Reply>

export const anyRequest: fc.Arbitrary<Request> = fc.oneof(
  request('init', { version: uint32, extensions: pairs }),
  request('open', { ...path, flags: uint32, attributes }),
  request('read', { ...handle, offset: uint64, length: uint32 }),
  request('write', { ...handle, offset: uint64, data: bytes }),
  ...(['close', 'fstat', 'readdir'] as const).map((type) => request(type, handle)),
  ...(['lstat', 'opendir', 'remove', 'rmdir', 'realpath', 'stat', 'readlink'] as const).map((type) =>
    request(type, path),
  ),
  ...(['setstat', 'mkdir', 'lsetstat@openssh.com'] as const).map((type) => request(type, { ...path, attributes })),
  request('fsetstat', { ...handle, attributes }),
  ...(['rename', 'posix-rename@openssh.com', 'hardlink@openssh.com'] as const).map((type) => request(type, paths)),
  request('symlink', { ...path, target: bytes }),
  ...(['statvfs@openssh.com', 'expand-path@openssh.com'] as const).map((type) => request(type, path)),
  ...(['fstatvfs@openssh.com', 'fsync@openssh.com'] as const).map((type) => request(type, handle)),
  request('limits@openssh.com', { id: uint32 }),
  request('copy-data', { ...paths, fromOffset: uint64, length: uint64, toOffset: uint64 }),
  request('home-directory', { id: uint32, user: bytes }),
  request('users-groups-by-id@openssh.com', { id: uint32, users: bytes, groups: bytes }),
  request('unknown', { id: uint32, code: fc.integer({ min: 21, max: 99 }), payload: bytes }),
  request('unknown', {
    id: uint32,
    code: fc.constant(200),
    name: text.map((name) => `${name}@example.com`),
    payload: bytes,
  }),
)

export const anyReply: fc.Arbitrary<Reply> = fc.oneof(
  reply('version', { version: uint32, extensions: pairs }),
  reply('status', { id: uint32, code: uint32, message: text, language: text }),
  reply('handle', handle),
  reply('data', { id: uint32, data: bytes }),
  reply('name', {
    id: uint32,
    names: fc.array(fc.record({ name: bytes, longName: bytes, attributes }), { maxLength: 60, size: 'max' }),
  }),
  reply('attrs', { id: uint32, attributes }),
  reply('extendedReply', { id: uint32, payload: bytes }),
)
