import { array, assert, asyncProperty, constantFrom, integer, tuple, uint8Array } from 'fast-check'
import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { readTar, TAR_END, type TarEntry, tarEntry } from './tar.ts'

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size)
}

async function read(bytes: Buffer, pieceBytes = 1_000, mostBytes = 1_048_576) {
  const entries: TarEntry[] = []
  for await (const entry of readTar(inPieces(bytes, pieceBytes), mostBytes)) entries.push(entry)
  return entries
}

describe('tar archive', () => {
  it('reads an archive back as written, however it is chunked', async () => {
    const files = array(
      tuple(constantFrom('a', 'tables/users.0001.copy', 'x'.repeat(100)), uint8Array({ maxLength: 2_000 })),
    )
    await assert(
      asyncProperty(files, integer({ min: 1, max: 3_000 }), async (entries, pieceBytes) => {
        const archive = Buffer.concat([...entries.map(([name, body]) => tarEntry(name, body, 0)), TAR_END])
        const back = await read(archive, pieceBytes)
        expect(back).toEqual(entries.map(([name, body]) => ({ name, body: Buffer.from(body) })))
      }),
    )
  })

  it('writes an archive that the system’s tar can extract', () => {
    const archive = Buffer.concat([tarEntry('hello.txt', Buffer.from('hello\n'), 1_700_000_000), TAR_END])
    const { stdout } = spawnSync('tar', ['--extract', '--to-stdout', 'hello.txt'], { input: archive })
    expect(stdout.toString()).toBe('hello\n')
  })

  it('refuses an archive truncated at any position', async () => {
    const archive = tarEntry('a', Buffer.alloc(700, 1), 0)
    for (const length of [1, 511, 512, 1_000, archive.length]) {
      await expect(read(archive.subarray(0, length))).rejects.toThrow('ends early')
    }
  })

  it('refuses an archive with one changed byte in a header', async () => {
    const archive = Buffer.concat([tarEntry('a', Buffer.from('x'), 0), TAR_END])
    for (const place of [0, 124, 130, 156, 257]) {
      const damaged = Buffer.from(archive)
      damaged[place] = (damaged[place] ?? 0) ^ 1
      await expect(read(damaged)).rejects.toThrow('damaged')
    }
  })

  it('refuses an archive entry above the size limit before reading it', async () => {
    const header = tarEntry('a', Buffer.alloc(2_000), 0).subarray(0, 512)
    await expect(read(header, 1_000, 1_999)).rejects.toThrow('more than 1999')
  })
})

it('refuses entry names of invalid length', () => {
  expect(() => tarEntry('x'.repeat(101), Buffer.alloc(0), 0)).toThrow(RangeError)
  expect(() => tarEntry('', Buffer.alloc(0), 0)).toThrow(RangeError)
})
