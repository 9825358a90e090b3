import { describe, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { createGuesses } from './guesses.ts'

const SOURCE = '192.0.2.1'

/** Lets everything that can go on do so. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function setUp() {
  const clock = new ManualClock()
  const guesses = createGuesses(clock)
  /** Tries wrong passwords one after the other. @returns how many were judged */
  async function guess(times: number, device = 'dev.pi', user = 'root', source = SOURCE): Promise<number> {
    let judged = 0
    for (let nr = 0; nr < times; nr += 1) {
      const verdict = await guesses.begin(source, device, user)
      if (verdict) judged += 1
      verdict?.(true)
    }
    return judged
  }
  return { clock, guesses, guess }
}

describe('wrong passwords from one source', () => {
  it('for one account are judged six times, then once in ten seconds', async () => {
    const { clock, guess } = setUp()
    expect(await guess(50)).toBe(6)
    clock.advance(10_000)
    expect(await guess(50)).toBe(1)
  })

  it('are judged six times also when all are tried at once', async () => {
    const { guesses } = setUp()
    let judged = 0
    const all = Array.from({ length: 50 }, async () => {
      const verdict = await guesses.begin(SOURCE, 'dev.pi', 'root')
      if (!verdict) return
      judged += 1
      await settle()
      verdict(true)
    })
    await Promise.all(all)
    expect(judged).toBe(6)
  })

  it('for many accounts of a device are judged thirty times', async () => {
    const { guess } = setUp()
    let judged = 0
    for (let nr = 0; nr < 50; nr += 1) judged += await guess(1, 'dev.pi', `user${nr}`)
    expect(judged).toBe(30)
  })

  it('are no hindrance to another source, another account or another device', async () => {
    const { guess } = setUp()
    await guess(10)
    expect(await guess(1, 'dev.pi', 'root', '192.0.2.2')).toBe(1)
    expect(await guess(1, 'dev.pi', 'pi')).toBe(1)
    expect(await guess(1, 'dev.other')).toBe(1)
  })

  it('count for a device whatever the case of its name', async () => {
    const { guess } = setUp()
    await guess(6, 'DEV.pi')
    expect(await guess(1, 'dev.PI')).toBe(0)
  })
})

describe('right passwords', () => {
  it('are never refused, a hundred at once and again', async () => {
    const { guesses } = setUp()
    for (let round = 0; round < 3; round += 1) {
      const all = Array.from({ length: 100 }, async () => {
        const verdict = await guesses.begin(SOURCE, 'dev.pi', 'root')
        await settle()
        verdict?.(false)
        return verdict !== undefined
      })
      expect(await Promise.all(all)).toEqual(Array(100).fill(true))
    }
  })
})
