import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { databaseRates } from '../../budgets/rates.ts'
import { type TestDatabase, testDatabase } from '../../testing/database.ts'
import { type Guesses, createGuesses } from './guesses.ts'

const SOURCE = '192.0.2.1'
let test: TestDatabase
beforeAll(async () => {
  test = await testDatabase()
})
afterAll(() => test.close())

/** Runs the continuations of settled promises. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function setUp() {
  const clock = new ManualClock()
  const guesses = createGuesses(clock)
  /** Tries wrong passwords sequentially. @returns number of checked ones */
  async function guess(times: number, device = 'dev.pi', user = 'root', source = SOURCE): Promise<number> {
    let judged = 0
    for (let nr = 0; nr < times; nr += 1) {
      const verdict = await guesses.begin(source, device, user)
      if (verdict) judged += 1
      await verdict?.(true)
    }
    return judged
  }
  return { clock, guesses, guess }
}

describe('wrong passwords from one source', () => {
  it('checks six wrong passwords per account, then one in ten seconds', async () => {
    const { clock, guess } = setUp()
    expect(await guess(50)).toBe(6)
    clock.advance(10_000)
    expect(await guess(50)).toBe(1)
  })

  it('checks six wrong passwords when they are tried concurrently', async () => {
    const { guesses } = setUp()
    let judged = 0
    const all = Array.from({ length: 50 }, async () => {
      const verdict = await guesses.begin(SOURCE, 'dev.pi', 'root')
      if (!verdict) return
      judged += 1
      await settle()
      await verdict(true)
    })
    await Promise.all(all)
    expect(judged).toBe(6)
  })

  it('checks thirty wrong passwords per device over many accounts', async () => {
    const { guess } = setUp()
    let judged = 0
    for (let nr = 0; nr < 50; nr += 1) judged += await guess(1, 'dev.pi', `user${nr}`)
    expect(judged).toBe(30)
  })

  it('does not limit other sources, accounts or devices', async () => {
    const { guess } = setUp()
    await guess(10)
    expect(await guess(1, 'dev.pi', 'root', '192.0.2.2')).toBe(1)
    expect(await guess(1, 'dev.pi', 'pi')).toBe(1)
    expect(await guess(1, 'dev.other')).toBe(1)
  })

  it('counts wrong passwords for a device name in any case', async () => {
    const { guess } = setUp()
    await guess(6, 'DEV.pi')
    expect(await guess(1, 'dev.PI')).toBe(0)
  })
})

describe('correct passwords', () => {
  it('never refuses correct passwords, even a hundred concurrent ones', async () => {
    const { guesses } = setUp()
    for (let round = 0; round < 3; round += 1) {
      const all = Array.from({ length: 100 }, async () => {
        const verdict = await guesses.begin(SOURCE, 'dev.pi', 'root')
        await settle()
        await verdict?.(false)
        return verdict !== undefined
      })
      expect(await Promise.all(all)).toEqual(Array(100).fill(true))
    }
  })
})

describe('wrong passwords from one source at several nodes', () => {
  it('count together, and right ones do not', async () => {
    const clock = new ManualClock(Date.now())
    const rates = databaseRates(test.database.system(), clock)
    const nodes = [createGuesses(clock, rates), createGuesses(clock, rates), createGuesses(clock, rates)]
    const attempt = async (nr: number, wrong: boolean): Promise<boolean> => {
      const verdict = await nodes[nr % nodes.length]?.begin(SOURCE, 'dev.pi', 'root')
      await verdict?.(wrong)
      return verdict !== undefined
    }
    for (let nr = 0; nr < 20; nr += 1) expect(await attempt(nr, false)).toBe(true)
    let judged = 0
    for (let nr = 0; nr < 20; nr += 1) if (await attempt(nr, true)) judged += 1
    expect(judged).toBe(6)
    clock.advance(10_000)
    expect([await attempt(0, true), await attempt(1, true)]).toEqual([true, false])
  })

  it('are owed when they were let through at the same moment', async () => {
    const clock = new ManualClock(Date.now())
    const rates = databaseRates(test.database.system(), clock)
    const nodes = [createGuesses(clock, rates), createGuesses(clock, rates), createGuesses(clock, rates)]
    const begin = (node: Guesses) => node.begin(SOURCE, 'other.pi', 'root')
    const verdicts = await Promise.all(nodes.flatMap((node) => Array.from({ length: 6 }, () => begin(node))))
    expect(verdicts.every((verdict) => verdict !== undefined)).toBe(true)
    await Promise.all(verdicts.map(async (verdict) => verdict?.(true)))
    let judged = 0
    // In 180 seconds 18 are allowed, and 12 are owed.
    for (let seconds = 0; seconds < 180; seconds += 10) {
      clock.advance(10_000)
      for (const node of nodes) {
        const verdict = await begin(node)
        if (verdict) judged += 1
        await verdict?.(true)
      }
    }
    expect(judged).toBe(6)
  })
})
