// Every byte of every forwarded connection arrives, above all the first ones of a server that speaks before it is asked.
import { beforeAll, describe, expect, it } from 'vitest'
import { cleanups } from '../support/cleanup.ts'
import { type World, forwardingWorld } from './arrivals.ts'

const undo = cleanups()
let world: World
beforeAll(async () => {
  world = await forwardingWorld(undo)
})

describe('connections to servers that speak first arrive whole', () => {
  it.each([
    ['-L', 200, 20],
    ['-L unix', 200, 20],
    ['-R', 200, 20],
    ['-D', 200, 20],
    ['-W', 60, 4],
    ['-J', 20, 2],
  ])('%s: %i connections, %i at once', async (kind, count, atOnce) => {
    expect(await world.faults(kind, count, atOnce)).toEqual([])
  })
})
