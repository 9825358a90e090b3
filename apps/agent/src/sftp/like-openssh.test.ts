// Sends the same requests to OpenSSH's own server and to ours: the responses must not differ.
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OPEN } from '@bowline/sftp/protocol'
import type { Reply } from '@bowline/sftp/replies'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Ask, type Client, NO_ATTRIBUTES, bytes } from '@bowline/sftp/testing/client'
import { startServer } from './testing.ts'

const OPENSSH = '/usr/lib/openssh/sftp-server'
const WITHIN_HALF_A_YEAR = Math.floor(Date.now() / 1_000) - 100 * 86_400
const AT = { accessed: 1_000_000_000, modified: 1_000_000_001 }

beforeEach((context) => {
  context.skip(!existsSync(OPENSSH) && process.env['CI'] !== 'true', `needs ${OPENSSH}, to compare with`)
})

/** Both servers, each with a new copy of the same files, at the same path. */
async function both<T>(act: (client: Client) => Promise<T>): Promise<{ ours: T; theirs: T }> {
  const place = join(mkdtempSync(join(tmpdir(), 'bowline-sftp-')), 'world')
  const run = async (program?: readonly string[]): Promise<T> => {
    rmSync(place, { recursive: true, force: true })
    makeWorld(place)
    await using server = await startServer(place, program)
    return await act(server.client)
  }
  try {
    return { theirs: await run([OPENSSH]), ours: await run() }
  } finally {
    rmSync(join(place, '..'), { recursive: true })
  }
}

function makeWorld(place: string): void {
  mkdirSync(join(place, 'folder/inner'), { recursive: true, mode: 0o755 })
  writeFileSync(join(place, 'file'), '0123456789', { mode: 0o644 })
  writeFileSync(Buffer.concat([Buffer.from(`${place}/`), bytes('\xff\xfe odd')]), 'odd', { mode: 0o4750 })
  symlinkSync('file', join(place, 'link'))
  symlinkSync('nowhere/at all', join(place, 'dangling'))
  symlinkSync('missing', join(place, 'to-missing'))
  symlinkSync('loop', join(place, 'loop'))
  execFileSync('mkfifo', ['-m', '640', join(place, 'fifo')])
  for (let index = 0; index < 120; index += 1) writeFileSync(join(place, 'folder/inner', `n${index}`), '')
  // The first copy is slightly older than the second.
  for (const name of readdirSync(place, { recursive: true, encoding: 'buffer' })) {
    lutimesSync(Buffer.concat([Buffer.from(`${place}/`), name]), AT.accessed, AT.modified)
  }
  utimesSync(place, AT.accessed, AT.modified)
  utimesSync(join(place, 'folder'), Date.now() / 1_000, WITHIN_HALF_A_YEAR)
}

/** Buffers as text, for readable failures. */
function readable(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_key, inner: unknown) => {
      if (typeof inner === 'bigint') return String(inner)
      const { type, data } = Object(inner) as { type?: unknown; data?: unknown }
      return type === 'Buffer' && Array.isArray(data) ? Buffer.from(data).toString('latin1') : inner
    }),
  )
}

async function inOrder(client: Client, asked: readonly Ask[]): Promise<Reply[]> {
  const replies: Reply[] = []
  for (const ask of asked) replies.push(await client.ask(ask))
  return replies
}

const path = bytes('file')
const none = bytes('none')
const byPath = ['stat', 'lstat', 'opendir', 'remove', 'rmdir', 'realpath', 'readlink'] as const
const paths = [
  '',
  '.',
  '..',
  '/',
  'none',
  'none/',
  'none/..',
  'file/x',
  'loop',
  'a/b',
  'folder/../file',
  '/..//etc/.',
  'x'.repeat(300),
]

const rows: Record<string, Ask[]> = {
  ...Object.fromEntries(
    byPath.map((type) => [
      `${type} of what is not there, or odd`,
      paths
        .filter((name) => !['.', '..', '/', '/..//etc/.'].includes(name) || type === 'realpath')
        .map((name): Ask => ({ type, path: bytes(name) })),
    ]),
  ),
  'canonical names': [
    'link',
    'dangling',
    'to-missing',
    'folder/inner/',
    'folder/new',
    '/none',
    './/file',
    '\xff\xfe odd',
  ].map((name) => ({ type: 'realpath', path: bytes(name) })),
  'attributes of files, links and odd names': ['file', 'link', 'dangling', 'fifo'].flatMap((name): Ask[] => [
    // Following a link reads it, which changes its access time.
    { type: 'lstat', path: bytes(name) },
    { type: 'stat', path: bytes(name) },
    { type: 'readlink', path: bytes(name) },
  ]),
  'what exists already': [
    { type: 'mkdir', path: bytes('folder'), ...NO_ATTRIBUTES },
    { type: 'symlink', target: bytes('a'), path },
    { type: 'rename', from: path, to: bytes('folder') },
    { type: 'rename', from: bytes('folder'), to: bytes('folder/inner/deep') },
    { type: 'rename', from: bytes('fifo'), to: path },
    { type: 'hardlink@openssh.com', from: path, to: bytes('link') },
    { type: 'rmdir', path: bytes('folder') },
    { type: 'remove', path: bytes('folder') },
    { type: 'posix-rename@openssh.com', from: path, to: bytes('folder') },
    { type: 'open', path, flags: OPEN.write | OPEN.create | OPEN.exclusive, ...NO_ATTRIBUTES },
    { type: 'open', path: bytes('folder'), flags: OPEN.write, ...NO_ATTRIBUTES },
    { type: 'open', path: none, flags: OPEN.read, ...NO_ATTRIBUTES },
  ],
  'names that change': [
    { type: 'rename', from: path, to: bytes('new') },
    { type: 'rename', from: bytes('link'), to: bytes('newlink') },
    { type: 'rename', from: bytes('folder'), to: bytes('newfolder') },
    { type: 'rename', from: none, to: bytes('other') },
    { type: 'posix-rename@openssh.com', from: bytes('new'), to: bytes('dangling') },
    { type: 'hardlink@openssh.com', from: bytes('dangling'), to: bytes('hard') },
    { type: 'symlink', target: bytes('../some where'), path: bytes('soft') },
    { type: 'readlink', path: bytes('soft') },
    { type: 'readlink', path: bytes('newlink') },
    { type: 'remove', path: bytes('soft') },
    { type: 'mkdir', path: bytes('made'), attributes: { permissions: 0o40700 } },
    { type: 'rmdir', path: bytes('made') },
  ],
  'attributes that change': [
    { type: 'setstat', path, attributes: { size: 4n, permissions: 0o100604, times: AT } },
    { type: 'stat', path },
    { type: 'setstat', path, attributes: { size: 20n, times: { accessed: 0, modified: 0xffff_fff0 } } },
    { type: 'stat', path },
    { type: 'setstat', path, attributes: { size: 0xffff_ffff_ffff_fff0n } },
    { type: 'setstat', path: none, attributes: { permissions: 0o600 } },
    { type: 'setstat', path: none, ...NO_ATTRIBUTES },
    { type: 'lsetstat@openssh.com', path: bytes('dangling'), attributes: { times: AT } },
    { type: 'lstat', path: bytes('dangling') },
    { type: 'lsetstat@openssh.com', path: bytes('dangling'), attributes: { permissions: 0o600 } },
    { type: 'lsetstat@openssh.com', path, attributes: { permissions: 0o611, times: AT } },
    { type: 'lsetstat@openssh.com', path, attributes: { size: 1n } },
    { type: 'stat', path },
  ],
  'handles that nobody has': [
    ...(['close', 'fstat', 'readdir', 'fsync@openssh.com'] as const).flatMap((type): Ask[] => [
      { type, handle: bytes('\0\0\0\x07') },
      { type, handle: bytes('') },
      { type, handle: bytes('much longer') },
    ]),
    { type: 'read', handle: bytes('\0\0\0\x07'), offset: 0n, length: 10 },
    { type: 'write', handle: bytes('\0\0\0\x07'), offset: 0n, data: bytes('x') },
    { type: 'fsetstat', handle: bytes('\0\0\0\x07'), ...NO_ATTRIBUTES },
  ],
  'extensions without a file': [
    { type: 'expand-path@openssh.com', path: bytes('folder/../file') },
    { type: 'expand-path@openssh.com', path: bytes('~root') },
    { type: 'users-groups-by-id@openssh.com', users: bytes('\0\0\0\0\xff\xff\xff\x01'), groups: bytes('\0\0\0\0') },
    { type: 'home-directory', user: bytes('root') },
    { type: 'home-directory', user: bytes('nobody at all') },
    { type: 'unknown', code: 200, name: 'no-such@example.com', payload: bytes('abc') },
  ],
}

describe('like OpenSSH', () => {
  test.each(Object.entries(rows))('responds identically to %s', async (_name, asked) => {
    const { ours, theirs } = await both((client) => inOrder(client, asked))
    expect(readable(ours)).toEqual(readable(theirs))
  })

  test('announces the same extensions', async () => {
    const { ours, theirs } = await both(async (client) => {
      const reply = await client.start()
      return (
        reply.type === 'version' &&
        reply.extensions.map((pair) => pair.join(' ')).toSorted((a, b) => a.localeCompare(b))
      )
    })
    expect(readable(ours)).toEqual(readable(theirs))
  })

  test('lists directories with the same names, long names and attributes', async () => {
    const { ours, theirs } = await both(async (client) => {
      const replies: unknown[] = []
      for (const name of ['.', 'folder', 'folder/inner', '/usr/bin']) {
        const handle = await client.handle({ type: 'opendir', path: bytes(name) })
        const names = []
        for (let reply = await client.ask({ type: 'readdir', handle }); reply.type === 'name';) {
          names.push(...reply.names)
          reply = await client.ask({ type: 'readdir', handle })
        }
        // Reading changes access times, and the parent folder is older in the second.
        const seen = names.map(({ name, longName, attributes: { times, ...attributes } }) => {
          const listed = { name: name.toString('latin1'), attributes }
          return listed.name === '..' ? listed : { ...listed, longName, modified: times?.modified }
        })
        replies.push(seen.toSorted((a, b) => (a.name < b.name ? -1 : 1)))
      }
      return replies
    })
    expect(readable(ours)).toEqual(readable(theirs))
  })

  test('reads, writes, appends, copies and closes open files identically', async () => {
    const { ours, theirs } = await both(async (client) => {
      const flags = OPEN.read | OPEN.write | OPEN.create
      const handle = await client.handle({ type: 'open', path, flags, ...NO_ATTRIBUTES })
      const attributes = { permissions: 0o600 }
      const fresh = await client.handle({
        type: 'open',
        path: bytes('fresh'),
        flags: flags | OPEN.exclusive,
        attributes,
      })
      const tail = await client.handle({ type: 'open', path, flags: OPEN.write | OPEN.append, ...NO_ATTRIBUTES })
      return inOrder(client, [
        { type: 'read', handle, offset: 0n, length: 4 },
        { type: 'read', handle, offset: 8n, length: 100 },
        { type: 'read', handle, offset: 10n, length: 1 },
        { type: 'read', handle, offset: 0n, length: 0 },
        { type: 'read', handle, offset: 0xffff_ffff_ffff_fff0n, length: 4 },
        { type: 'write', handle, offset: 0xffff_ffff_ffff_fff0n, data: bytes('x') },
        { type: 'write', handle, offset: 4n, data: bytes('ABCD') },
        { type: 'write', handle, offset: 20n, data: bytes('sparse') },
        { type: 'write', handle, offset: 0n, data: bytes('') },
        { type: 'write', handle: tail, offset: 0n, data: bytes('appended') },
        { type: 'read', handle: tail, offset: 0n, length: 4 },
        { type: 'read', handle, offset: 0n, length: 0xffff_ffff },
        { type: 'copy-data', from: handle, fromOffset: 2n, length: 5n, to: fresh, toOffset: 1n },
        { type: 'copy-data', from: handle, fromOffset: 0n, length: 0n, to: fresh, toOffset: 100n },
        { type: 'copy-data', from: handle, fromOffset: 0n, length: 1n, to: handle, toOffset: 9n },
        { type: 'copy-data', from: handle, fromOffset: 0n, length: 1n, to: tail, toOffset: 9n },
        { type: 'copy-data', from: handle, fromOffset: 30n, length: 500n, to: fresh, toOffset: 0n },
        { type: 'read', handle: fresh, offset: 0n, length: 1_000 },
        { type: 'fsetstat', handle: fresh, attributes: { size: 3n, permissions: 0o640, times: AT } },
        { type: 'fstat', handle: fresh },
        { type: 'fsync@openssh.com', handle: fresh },
        { type: 'readdir', handle },
        { type: 'close', handle },
        { type: 'close', handle },
        { type: 'fstat', handle },
      ])
    })
    expect(readable(ours)).toEqual(readable(theirs))
  })
})
