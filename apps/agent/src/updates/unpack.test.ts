// Archives as an attacker would make them, if their hash were of no use: nothing leaves the folder, nothing is a link.
import { mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { unpack } from './unpack.ts'

const NAME = 'bowline-agent-1.0.0-12345678'
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-unpack-'))
})
afterEach(() => rm(folder, { recursive: true }))

interface Entry {
  readonly name: string
  readonly type?: string
  readonly text?: string
  readonly mode?: string
  readonly link?: string
}

/** An entry as tar(5) has it. */
function entry({ name, type = '0', text = '', mode = '0000644', link = '' }: Entry): Buffer {
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write(`${mode}\0`, 100)
  header.write(`${text.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write('        ', 148)
  header.write(type, 156)
  header.write(link, 157)
  header.write('ustar\0', 257)
  header.write(
    `${header
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
    148,
  )
  return Buffer.concat([header, Buffer.from(text), Buffer.alloc((512 - (text.length % 512)) % 512)])
}

async function unpacked(
  entries: readonly Entry[],
  limit = 100_000,
  end: Buffer = Buffer.alloc(1_024),
): Promise<string> {
  const archive = join(folder, 'archive')
  await writeFile(archive, gzipSync(Buffer.concat([...entries.map(entry), end])))
  return unpack(archive, folder, limit)
}
const top: Entry = { name: `${NAME}/`, type: '5', mode: '0000755' }
const program: Entry = { name: `${NAME}/bowline`, text: 'program', mode: '0000755' }

test('unpacks the folder of a version with its files', async () => {
  const path = await unpacked([top, program, { name: `${NAME}/koffi.node`, text: 'x'.repeat(5_000) }])
  expect(path).toBe(join(folder, NAME))
  expect(await readFile(join(path, 'bowline'), 'utf8')).toBe('program')
  expect(await readFile(join(path, 'koffi.node'), 'utf8')).toBe('x'.repeat(5_000))
  const modes = ['bowline', 'koffi.node'].map(async (name) => (await stat(join(path, name))).mode & 0o7777)
  expect(await Promise.all(modes)).toEqual([0o755, 0o644])
})

test('unpacks what zstd has compressed', async () => {
  const archive = join(folder, 'archive')
  await writeFile(archive, zstdCompressSync(Buffer.concat([...[top, program].map(entry), Buffer.alloc(1_024)])))
  expect(await readFile(join(await unpack(archive, folder, 100_000), 'bowline'), 'utf8')).toBe('program')
})

test('refuses what zstd has compressed with a window that takes much memory', async () => {
  // A frame (RFC 8878, section 3.1.1): its descriptor, a window of 2^27 bytes, and one empty last block.
  const frame = Buffer.from('28b52ffd00880100 00'.replace(' ', ''), 'hex')
  await writeFile(join(folder, 'archive'), frame)
  await expect(unpack(join(folder, 'archive'), folder, 100_000)).rejects.toThrow('memory')
})

test('keeps zeros of a program as a hole', async () => {
  const text = `begin${'\0'.repeat(1_000_000)}end`
  const path = await unpacked([top, { ...program, text }], 2_000_000)
  const file = join(path, 'bowline')
  expect(await readFile(file, 'latin1')).toBe(text)
  const { size, blocks } = await stat(file)
  expect([size, blocks * 512 < 700_000]).toEqual([1_000_008, true])
})

test.each<[string, Entry]>([
  ['a path that leads upwards', { name: `${NAME}/../escaped` }],
  ['an absolute path', { name: '/tmp/escaped' }],
  ['a file beside the folder', { name: 'escaped' }],
  ['a symbolic link', { name: `${NAME}/link`, type: '2', link: '/etc' }],
  ['a hard link', { name: `${NAME}/link`, type: '1', link: '/etc/passwd' }],
  ['a device', { name: `${NAME}/device`, type: '3' }],
  ['a file of another folder', { name: 'bowline-agent-2.0.0-12345678/bowline' }],
  ['a second folder', { name: 'bowline-agent-2.0.0-12345678/', type: '5' }],
  ['a folder in the folder', { name: `${NAME}/inner/`, type: '5' }],
  ['a long name of GNU tar', { name: '././@LongLink', type: 'L', text: '../escaped' }],
  ['a pax header', { name: `${NAME}/pax`, type: 'x', text: '20 path=../escaped\n' }],
  ['a hidden file', { name: `${NAME}/.hidden` }],
  ['a setuid program that is written twice', program],
])('refuses %s', async (_what, bad) => {
  await expect(unpacked([top, program, bad])).rejects.toThrow(/that no agent has|more than one folder|EEXIST/)
  expect((await readdir(folder)).toSorted()).toEqual(['archive', NAME])
  expect(await readdir(join(folder, NAME))).toEqual(['bowline'])
})

test('never makes a program that runs as its owner', async () => {
  const path = await unpacked([top, { ...program, mode: '0006755' }])
  expect((await stat(join(path, 'bowline'))).mode & 0o7777).toBe(0o755)
})

test('refuses more than was announced, without unpacking it', async () => {
  const bomb = { name: `${NAME}/bomb`, text: '\0'.repeat(5_000_000) }
  await expect(unpacked([top, bomb])).rejects.toThrow('more than was announced')
  expect((await stat(join(folder, NAME, 'bomb'))).size).toBeLessThan(100_000)
})

test('refuses an archive that ends early, and one that is empty', async () => {
  const cut = entry({ name: `${NAME}/bowline`, text: 'x'.repeat(5_000) }).subarray(0, 2_000)
  await expect(unpacked([top], 100_000, cut)).rejects.toThrow('ends early')
  await expect(unpacked([])).rejects.toThrow('empty')
  await rm(join(folder, NAME), { recursive: true })
  const header = entry(program)
  header.writeUInt8(header.readUInt8(0) ^ 1, 0)
  await expect(unpacked([top], 100_000, header)).rejects.toThrow('wrong sum')
})
