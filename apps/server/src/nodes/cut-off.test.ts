// A node that cannot renew its lease decides whether the others can.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterEach, describe, expect, it } from 'vitest'
import { type LeaseAnswer, createCutOff } from './cut-off.ts'

const DEAD_MS = 15_000
const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** A node that renews its lease for as long as `isConnected`, and asks others that answer `answers`. */
function node(answers: (at: number) => readonly LeaseAnswer[]) {
  const clock = new ManualClock()
  const start = clock.monotonic()
  const state = { isConnected: false, renewedAt: start, asked: 0, cutAt: [] as number[] }
  const since = (): number => clock.monotonic() - start
  const cutOff = createCutOff({
    clock,
    deadMs: DEAD_MS,
    renewedAt: () => state.renewedAt,
    askOthers() {
      state.asked += 1
      return Promise.resolve(answers(since()))
    },
    cut: () => void state.cutAt.push(since()),
  })
  stops.push(() => cutOff.stop())
  async function pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1_000)
      if (state.isConnected) {
        state.renewedAt = clock.monotonic()
        cutOff.renewed()
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { state, cutOff, pass }
}

const CANNOT: LeaseAnswer = { steadyMs: 0 }
const STEADY: LeaseAnswer = { steadyMs: 3_600_000 }

describe('a node without the database', () => {
  it.each<[string, readonly LeaseAnswer[]]>([
    ['one other renews its lease', [CANNOT, STEADY]],
    ['one other renews and the rest cannot be reached', ['unreachable', STEADY]],
    ['none of the others can be reached', ['unreachable', 'unreachable']],
  ])('stops serving once, before its lease ends, when %s', async (_, answers) => {
    const { state, cutOff, pass } = node(() => answers)
    await pass(40)
    expect(state.cutAt).toHaveLength(1)
    expect(state.cutAt[0]).toBeLessThan(DEAD_MS)
    expect(cutOff.isCut).toBe(true)
  })

  it.each<[string, readonly LeaseAnswer[]]>([
    ['it is the only one', []],
    ['no other can renew either', [CANNOT, CANNOT]],
    ['those that answer cannot renew either', ['unreachable', CANNOT]],
    ['others have renewed for too short a time to give it up', [{ steadyMs: 3_000 }]],
    ['the others are of a version that does not know the question', ['unknown', 'unreachable']],
  ])('goes on serving when %s', async (_, answers) => {
    const { state, pass } = node(() => answers)
    await pass(120)
    expect(state.cutAt).toEqual([])
  })

  it('stops serving later, when another has the database back for long enough to give it up', async () => {
    const { state, pass } = node((at) => [{ steadyMs: Math.max(0, at - 60_000) }])
    await pass(60)
    expect(state.cutAt).toEqual([])
    await pass(16)
    expect(state.cutAt).toHaveLength(1)
    expect(state.cutAt[0]).toBeLessThan(60_000 + DEAD_MS)
  })

  it('asks nobody while it renews, and serves again when it does', async () => {
    const { state, cutOff, pass } = node(() => [STEADY])
    state.isConnected = true
    await pass(60)
    expect(state.asked).toBe(0)
    state.isConnected = false
    await pass(20)
    expect(cutOff.isCut).toBe(true)
    state.isConnected = true
    await pass(1)
    expect(cutOff.isCut).toBe(false)
  })
})
