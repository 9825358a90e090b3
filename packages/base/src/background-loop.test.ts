import { expect, it } from 'vitest'
import { BackgroundLoop } from './background-loop.ts'

/** A loop whose passes end when the test says so. */
function looped() {
  const passes: PromiseWithResolvers<void>[] = []
  const loop = new BackgroundLoop(() => {
    const pass = Promise.withResolvers<void>()
    passes.push(pass)
    return pass.promise
  })
  return { loop, passes }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

it('runs one more pass for all wakes that come while one runs', async () => {
  const { loop, passes } = looped()
  loop.wake()
  loop.wake()
  loop.wake()
  expect(passes).toHaveLength(1)
  passes[0]?.resolve()
  await settled()
  expect(passes).toHaveLength(2)
  passes[1]?.resolve()
  await settled()
  expect(passes).toHaveLength(2)
})

it('waits for the running pass when stopped, and begins no other', async () => {
  const { loop, passes } = looped()
  loop.wake()
  loop.wake()
  let stopped = false
  const stopping = loop.stop().then(() => (stopped = true))
  await settled()
  expect(stopped).toBe(false)
  passes[0]?.resolve()
  await stopping
  loop.wake()
  expect(passes).toHaveLength(1)
})

it('loses no wake that comes right after a pass, in whatever microtask', async () => {
  for (let turns = 0; turns < 12; turns += 1) {
    const { loop, passes } = looped()
    loop.wake()
    passes[0]?.resolve()
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve()
    loop.wake()
    await settled()
    expect([turns, passes.length]).toEqual([turns, 2])
  }
})
