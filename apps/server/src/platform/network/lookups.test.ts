import { ManualClock } from '@bowline/base/testing/manual-clock'
import { until } from '@bowline/testkit/until'
import { describe, expect, it } from 'vitest'
import { type Resolve, limitLookups } from './lookups.ts'

const LIMITS = { atOnce: 2, waiting: 3, timeoutMs: 5_000, silenceMs: 60_000 }

/** A resolver that answers when the test says so. */
function heldResolver() {
  const asked: string[] = []
  const answers: (() => void)[] = []
  const resolve: Resolve = (host) => {
    asked.push(host)
    return new Promise((settle) => answers.push(() => settle(['9.9.9.9'])))
  }
  return { asked, answers, resolve }
}

const outcome = (found: Promise<unknown>): Promise<string> => found.then(String, (error: Error) => error.message)
const outcomes = (lookups: Promise<unknown>[]) => Promise.all(lookups.map(outcome))

describe('lookups of names that people typed', () => {
  it('keep nobody waiting for a name server that never answers', async () => {
    const clock = new ManualClock()
    const { asked, resolve } = heldResolver()
    const lookup = outcomes([limitLookups(resolve, clock, LIMITS)('dead.example.org')])
    await until(() => asked.length === 1)
    clock.advance(5_000)
    expect(await lookup).toEqual(['no answer in time'])
  })

  it('are few at once, also while earlier ones have been given up', async () => {
    const clock = new ManualClock()
    const { asked, answers, resolve } = heldResolver()
    const find = limitLookups(resolve, clock, LIMITS)
    const first = outcomes([find('a.example.one'), find('b.example.two'), find('c.example.three')])
    await until(() => asked.length === 2)
    clock.advance(5_000)
    expect(await first).toEqual(Array(3).fill('no answer in time'))
    const fourth = find('d.example.four')
    expect(asked).toEqual(['a.example.one', 'b.example.two'])
    answers[0]?.()
    await until(() => asked.includes('d.example.four'))
    answers.at(-1)?.()
    expect(await fourth).toEqual(['9.9.9.9'])
    expect(asked).not.toContain('c.example.three')
  })

  it('are refused beyond those that may wait', async () => {
    const { resolve } = heldResolver()
    const find = limitLookups(resolve, new ManualClock(), LIMITS)
    for (let n = 0; n < 5; n += 1) find(`n${n}.same.example`).catch(() => undefined)
    await expect(find('one-more.same.example')).rejects.toThrow('too many lookups')
  })

  it('do not ask a silent domain again at once, by whichever name, and ask all others', async () => {
    const clock = new ManualClock()
    const { asked, answers, resolve } = heldResolver()
    const find = limitLookups(resolve, clock, LIMITS)
    const dead = [find('a.dead.example'), find('shop.co.uk')].map(outcome)
    await until(() => asked.length === 2)
    answers[1]?.()
    expect(await dead[1]).toBe('9.9.9.9')
    clock.advance(5_000)
    expect(await dead[0]).toBe('no answer in time')
    await expect(find('b.dead.example')).rejects.toThrow('does not answer')
    const other = find('other.co.uk')
    await until(() => asked.at(-1) === 'other.co.uk')
    answers.at(-1)?.()
    expect(await other).toEqual(['9.9.9.9'])
    answers[0]?.()
    clock.advance(60_000)
    const again = find('b.dead.example')
    await until(() => asked.at(-1) === 'b.dead.example')
    answers.at(-1)?.()
    expect(await again).toEqual(['9.9.9.9'])
  })
})
