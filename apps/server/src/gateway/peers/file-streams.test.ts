// A file of another node, over a link between two servers.
import { randomBytes, randomUUID } from 'node:crypto'
import { appendFile, mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { duplexPair } from 'node:stream'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import type { Link, LinkCause, LinkHandler } from '@bowline/link/api'
import { linkServers } from '@bowline/link/between-servers'
import { until } from '@bowline/testkit/until'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { OtherNodeAway, type RecordingFile, pieces } from '../../recordings/file/reading.ts'
import { answerForFile, openRemoteFile } from './file-streams.ts'

const DONE: LinkCause = { by: 'gateway', reason: 'done', message: '' }
const content = randomBytes(3_000_000)
const id = randomUUID()
let folder: string
let near: Link
let far: Link
/** Files that the node has open. */
let opened = 0
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-file-streams-'))
  await writeFile(join(folder, id), content)
  const [one, other] = duplexPair()
  const between = (socket: typeof one, end: 'dialled' | 'accepted', handler: LinkHandler['open']): Link =>
    linkServers({
      socket,
      end,
      clock: new ManualClock(),
      report: (error) => expect.fail(String(error)),
      handler: { open: handler, closed: () => undefined },
    })
  near = between(one, 'dialled', () => DONE)
  far = between(other, 'accepted', (_, header, stream) => answerForFile(header, stream, openHere))
})
afterEach(async () => {
  near.close(DONE)
  await rm(folder, { recursive: true })
})

async function openHere({ id: name }: { readonly id: string }): Promise<RecordingFile> {
  const file = await open(join(folder, name))
  opened += 1
  return {
    read: (...where) => file.read(...where),
    stat: () => file.stat(),
    async close() {
      await file.close()
      opened -= 1
    },
  }
}

const remote = (name: string = id) =>
  openRemoteFile((handler) => near.open('recording', { id: name, kind: 'cast' }, handler))

async function all(file: RecordingFile): Promise<Buffer> {
  const read: Uint8Array[] = []
  for await (const piece of pieces(file)) read.push(piece)
  return Buffer.concat(read)
}

it('is read whole, as long as it is by then, and is closed there when it is closed here', async () => {
  const file = await remote()
  expect((await file.stat()).size).toBe(content.length)
  await appendFile(join(folder, id), 'written meanwhile')
  expect((await file.stat()).size).toBe(content.length + 17)
  expect(await all(file)).toEqual(Buffer.concat([content, Buffer.from('written meanwhile')]))
  const { bytesRead } = await file.read(Buffer.alloc(8), 0, 8, content.length + 17)
  expect(bytesRead).toBe(0)
  await file.close()
  await until(() => opened === 0)
})

it('answers several who read at once, each with what they asked for', async () => {
  const file = await remote()
  const places = [0, 2_000_000, 7, 1_500_001]
  const read = await Promise.all(places.map((place) => file.read(Buffer.alloc(1_000), 0, 1_000, place)))
  expect(read.map(({ buffer }) => buffer)).toEqual(places.map((place) => content.subarray(place, place + 1_000)))
  await file.close()
})

it('is missing where the other node does not have it, and unknown where that cannot be asked', async () => {
  await expect(remote(randomUUID())).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(openRemoteFile(() => undefined)).rejects.toBeInstanceOf(OtherNodeAway)
  const file = await remote()
  far.close(DONE)
  await expect(file.read(Buffer.alloc(8), 0, 8, 0)).rejects.toBeInstanceOf(OtherNodeAway)
  await until(() => opened === 0)
})

it.each([
  ['no id', { id: '../../etc/shadow', kind: 'cast' }, undefined],
  ['a part that is too long', { id, kind: 'cast' }, { position: 0, length: 2 ** 21 }],
  ['something else', { id, kind: 'cast' }, { write: true }],
])('refuses a request for %s', async (_, header, request) => {
  const ended = Promise.withResolvers<LinkCause>()
  const stream = near.open('recording', header, { data: () => undefined, closed: ended.resolve })
  if (request) stream.control(request)
  expect(await ended.promise).toMatchObject({ reason: 'protocol' })
  await until(() => opened === 0)
})
