// The long form, by command only: 5,000 connections next to two busy loops.
import { spawn } from 'node:child_process'
import { beforeAll, expect, it } from 'vitest'
import { cleanups } from '../support/cleanup.ts'
import { type World, forwardingWorld } from './arrivals.ts'

const undo = cleanups()
let world: World
beforeAll(async () => {
  world = await forwardingWorld(undo)
  for (let loop = 0; loop < 2; loop += 1) {
    const busy = spawn(process.execPath, ['-e', 'const end = Date.now() + 3.6e6; while (Date.now() < end);'])
    undo(() => void busy.kill('SIGKILL'))
  }
})

it.each([
  ['-L', 1_000, 20],
  ['-L unix', 1_000, 20],
  ['-R', 1_000, 20],
  ['-D', 1_000, 20],
  ['-W', 700, 4],
  ['-J', 300, 2],
])(
  'delivers every byte through %s: %i connections, %i at once, next to two busy loops',
  async (kind, count, atOnce) => {
    expect(await world.faults(kind, count, atOnce)).toEqual([])
  },
  1_800_000,
)
