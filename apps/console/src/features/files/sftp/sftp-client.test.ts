// The client against OpenSSH's file server.
import { randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile as readLocal, readdir, stat, symlink, writeFile as writeLocal } from 'node:fs/promises'
import { join } from 'node:path'
import { PACKET, STATUS } from '@bowline/sftp/protocol'
import { describe, expect, it } from 'vitest'
import { everythingIn, kindOf, listFolder, removeEntry } from './entries.ts'
import { readFile } from './reading.ts'
import { SftpClient } from './sftp-client.ts'
import { isCode } from './sftp-error.ts'
import { NEVER, type RealServer, realServer, sample } from './testing.ts'
import { placeFor, writeFile } from './writing.ts'

const mark = (): string => randomBytes(8).toString('hex')
const options = () => ({ signal: NEVER, progress: () => undefined, mark: mark() })

async function download({ client }: RealServer, path: string, size: number, signal = NEVER): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  await readFile(client, path, { signal, size, write: (bytes) => void pieces.push(bytes) })
  return Buffer.concat(pieces)
}

async function upload({ client }: RealServer, path: string, contents: Uint8Array<ArrayBuffer>): Promise<void> {
  await writeFile(client, await placeFor(client, path), new Blob([contents]), options())
}

describe('a folder', () => {
  it('is listed with kinds, sizes, owners and names of any bytes', async () => {
    const { client, folder } = await realServer()
    await writeLocal(join(folder, 'notes'), 'twelve bytes')
    await mkdir(join(folder, 'sub'))
    await symlink('notes', join(folder, 'link'))
    await writeLocal(Buffer.concat([Buffer.from(`${folder}/`), Buffer.of(0xff, 0x0a)]), '')
    const path = await client.realpath('')
    const { entries, isCut } = await listFolder(client, path)
    const seen = entries.map(({ name, kind, size }) => [name, kind, kind === 'file' ? size : undefined])
    expect(seen.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))).toEqual([
      [String.raw`\xff\x0a`, 'file', 0],
      ['link', 'link', undefined],
      ['notes', 'file', 12],
      ['sub', 'folder', undefined],
    ])
    expect(isCut).toBe(false)
    expect(entries[0]?.owner).toMatch(/^\w[\w-]*:\w[\w-]*$/)
    expect(await client.readlink(`${path}/link`)).toBe('notes')
    expect(kindOf(await client.stat(`${path}/link`))).toBe('file')
    const odd = entries.find(({ name }) => name.startsWith('\\'))
    await client.rename(odd?.path ?? '', `${path}/plain`)
    expect(await readdir(folder)).toContain('plain')
  })

  it('with 1,500 entries is listed whole, or up to a limit', async () => {
    const { client, folder } = await realServer()
    const names = Array.from({ length: 1_500 }, (_, at) => `entry-${at}`)
    await Promise.all(names.map((name) => writeLocal(join(folder, name), '')))
    const all = await listFolder(client, folder)
    expect(new Set(all.entries.map(({ name }) => name))).toEqual(new Set(names))
    expect(await listFolder(client, folder, 100)).toMatchObject({ isCut: true, entries: { length: 100 } })
  })

  it('is removed with everything in it, and links are not followed', async () => {
    const { client, folder } = await realServer()
    await mkdir(join(folder, 'kept'))
    await writeLocal(join(folder, 'kept', 'file'), '')
    await mkdir(join(folder, 'gone', 'deep', 'deeper'), { recursive: true })
    await writeLocal(join(folder, 'gone', 'deep', 'file'), '')
    await symlink('../kept', join(folder, 'gone', 'link'))
    const inside = await everythingIn(client, join(folder, 'gone'))
    expect(inside).toHaveLength(4)
    for (const entry of [...inside, { kind: 'folder' as const, path: join(folder, 'gone') }]) {
      await removeEntry(client, entry)
    }
    expect(await readdir(folder)).toEqual(['kept'])
    expect(await readdir(join(folder, 'kept'))).toEqual(['file'])
  })
})

describe('a download', () => {
  it('has every byte in order, with many requests under way', async () => {
    const server = await realServer()
    const contents = sample(5_000_000)
    await writeLocal(join(server.folder, 'large'), contents)
    expect((await download(server, join(server.folder, 'large'), contents.length)).equals(contents)).toBe(true)
    const reads = server.asked.filter((type) => type === PACKET.read).length
    expect(reads).toBeLessThan(contents.length / 32_768 + 4)
  })

  it('has all of a file whose size is not what the list said', async () => {
    const server = await realServer()
    const contents = sample(200_000)
    await writeLocal(join(server.folder, 'grown'), contents)
    for (const size of [0, 10, 1_000_000]) {
      expect((await download(server, join(server.folder, 'grown'), size)).equals(contents)).toBe(true)
    }
    await writeLocal(join(server.folder, 'empty'), '')
    expect(await download(server, join(server.folder, 'empty'), 0)).toHaveLength(0)
  })

  it('says why it is refused', async () => {
    const server = await realServer()
    await expect(download(server, '/does/not/exist', 0)).rejects.toThrow('There is no such file or folder.')
    await expect(download(server, server.folder, 0)).rejects.toThrow(/The device/)
  })

  it('stops when it is cancelled, and fails when the session ends', async () => {
    const server = await realServer()
    await writeLocal(join(server.folder, 'large'), sample(4_000_000))
    const controller = new AbortController()
    const { client } = server
    const path = join(server.folder, 'large')
    const cancelled = readFile(client, path, { signal: controller.signal, size: 4e6, write: () => controller.abort() })
    await expect(cancelled).rejects.toThrow(/abort/)
    const ended = readFile(client, path, { signal: NEVER, size: 4e6, write: () => server.kill() })
    await expect(ended).rejects.toThrow('the server has ended')
    await expect(client.lstat('/')).rejects.toThrow('the server has ended')
  })
})

describe('an upload', () => {
  it('has every byte, and no other name is left', async () => {
    const server = await realServer()
    const contents = sample(3_000_001)
    await upload(server, join(server.folder, 'large'), Uint8Array.from(contents))
    expect((await readLocal(join(server.folder, 'large'))).equals(contents)).toBe(true)
    expect(await readdir(server.folder)).toEqual(['large'])
  })

  it('replaces a file at once, with its permissions, and what a link leads to', async () => {
    const server = await realServer()
    const script = join(server.folder, 'script')
    await writeLocal(script, 'old')
    await chmod(script, 0o750)
    await symlink('script', join(server.folder, 'link'))
    expect((await placeFor(server.client, join(server.folder, 'link'))).path).toBe(script)
    await upload(server, join(server.folder, 'link'), Uint8Array.from(Buffer.from('new')))
    expect(await readLocal(script, 'utf8')).toBe('new')
    expect((await stat(script)).mode & 0o7777).toBe(0o750)
    expect((await readdir(server.folder)).toSorted()).toEqual(['link', 'script'])
  })

  it('replaces a file of a server that can only rename to a new name', async () => {
    const server = await realServer('-P', 'posix-rename')
    expect(server.client.offers('posix-rename@openssh.com')).toBe(false)
    const script = join(server.folder, 'script')
    await writeLocal(script, 'old')
    await upload(server, script, Uint8Array.from(Buffer.from('new')))
    expect(await readLocal(script, 'utf8')).toBe('new')
    expect(await readdir(server.folder)).toEqual(['script'])
  })

  it('keeps the file that it cannot replace', async () => {
    const server = await realServer('-P', 'posix-rename,rename')
    const script = join(server.folder, 'script')
    await writeLocal(script, 'old')
    await expect(upload(server, script, Uint8Array.from(Buffer.from('new')))).rejects.toThrow(/may not/)
    expect(await readLocal(script, 'utf8')).toBe('old')
    expect(await readdir(server.folder)).toEqual(['script'])
  })

  it('leaves what was there when it is cancelled or refused, and nothing of its own', async () => {
    const server = await realServer()
    const { client, folder } = server
    await writeLocal(join(folder, 'kept'), 'old')
    const place = await placeFor(client, join(folder, 'kept'))
    const controller = new AbortController()
    const cancelled = writeFile(client, place, new Blob([Uint8Array.from(sample(4_000_000))]), {
      signal: controller.signal,
      progress: () => controller.abort(),
      mark: mark(),
    })
    await expect(cancelled).rejects.toThrow(/abort/)
    // Somebody has taken the name since it was looked at.
    const free = await placeFor(client, join(folder, 'taken'))
    await writeLocal(join(folder, 'taken'), 'theirs')
    await expect(writeFile(client, free, new Blob(['mine']), options())).rejects.toThrow(/The device/)
    expect(await readLocal(join(folder, 'taken'), 'utf8')).toBe('theirs')
    expect(await readLocal(join(folder, 'kept'), 'utf8')).toBe('old')
    expect((await readdir(folder)).toSorted()).toEqual(['kept', 'taken'])
    await expect(placeFor(client, folder)).rejects.toThrow('A folder or special file has this name.')
  })

  it('is refused by a server that allows no changes', async () => {
    const server = await realServer('-R')
    await expect(upload(server, join(server.folder, 'new'), new Uint8Array(1))).rejects.toThrow(/may not do this/)
    const refused = await server.client.makeFolder(join(server.folder, 'sub')).catch((error: unknown) => error)
    expect(isCode(refused, STATUS.permissionDenied)).toBe(true)
  })
})

describe('a file server that breaks the protocol', () => {
  const talk = (...packets: readonly Uint8Array[]) => {
    const client = new SftpClient(() => {
      queueMicrotask(() => {
        for (const packet of packets) client.receive(packet)
      })
    })
    return client
  }
  const VERSION = Buffer.from('000000050200000003', 'hex')

  it('ends the session instead of the page', async () => {
    await expect(talk(Buffer.from('Welcome to the device!\n')).start()).rejects.toThrow('an invalid SFTP response')
    await expect(talk(Buffer.from('000000050200000009', 'hex')).start()).rejects.toThrow('another version')
    const client = talk(VERSION, Buffer.from('0000000965000003e700000000', 'hex'))
    await expect(client.start().then(() => client.lstat('/'))).rejects.toThrow('an invalid SFTP response')
  })
})
