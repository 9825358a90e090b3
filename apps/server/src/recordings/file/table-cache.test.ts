import { mkdtemp, open, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createIndexWriter } from './index-file.ts'
import { createTableCache } from './table-cache.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-tables-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function write(path: string, atMs: number): Promise<void> {
  await using file = await open(`${path}.part`, 'w')
  const writer = createIndexWriter(file)
  await writer.add({ atMs: 0, offset: 0, columns: 80, rows: 24 }, 'screen')
  await writer.end(atMs, 100)
  await rename(`${path}.part`, path)
}

it('reads an index table once, and again when the index is rebuilt', async () => {
  const path = join(folder, 'one.index')
  const cache = createTableCache()
  const read = async () => {
    await using file = await open(path)
    return await cache.read('one', file)
  }
  await write(path, 1_000)
  const first = await read()
  expect(first).toMatchObject({ atMs: 1_000 })
  expect(await read()).toBe(first)
  await write(path, 2_000)
  expect(await read()).toMatchObject({ atMs: 2_000 })
})

it('evicts the least recently used index tables', async () => {
  const path = join(folder, 'two.index')
  await write(path, 1_000)
  await using file = await open(path)
  const cache = createTableCache()
  const first = await cache.read('first', file)
  for (let other = 0; other < 16; other += 1) await cache.read(`other ${other}`, file)
  expect(await cache.read('first', file)).not.toBe(first)
})
