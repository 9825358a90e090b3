import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { watchRoom } from './disk-space.ts'

it('tells the room on a disk, also to several who ask at once', async () => {
  const room = watchRoom(tmpdir())
  const [one, two] = await Promise.all([room(), room()])
  expect(one).toBe(two)
  expect(one).toBeGreaterThan(0)
  expect(await room()).toBeGreaterThan(0)
})

it('takes a disk that is not there for full, until it is', async () => {
  const room = watchRoom(join(tmpdir(), 'bowline-no-such-folder'))
  expect([await room(), await room()]).toEqual([-1, -1])
})
