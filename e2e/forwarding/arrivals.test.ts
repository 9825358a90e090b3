// Checks that every byte of every forwarded connection arrives, especially the first ones of a server that speaks
// first.
import { beforeAll, describe, expect, it } from 'vitest'
import { cleanups } from '../support/cleanup.ts'
import { type World, forwardingWorld } from './arrivals.ts'

const undo = cleanups()
let world: World
beforeAll(async () => {
  world = await forwardingWorld(undo)
})

describe('forwarded connections to servers that speak first', () => {
  it.each([
    ['-L', 200, 20],
    ['-L unix', 200, 20],
    ['-R', 200, 20],
    ['-D', 200, 20],
    ['-W', 60, 4],
    ['-J', 20, 2],
  ])('delivers every byte through %s: %i connections, %i at once', async (kind, count, atOnce) => {
    expect(await world.faults(kind, count, atOnce)).toEqual([])
  })
})
