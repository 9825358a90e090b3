import { describe, expect, it } from 'vitest'
import { createLimiter, createSemaphore } from './limiter.ts'
import { fakeClock } from './testing.ts'

describe('limiter', () => {
  it('grants a burst, then what comes back with time', () => {
    const clock = fakeClock()
    const limiter = createLimiter(clock, 2, 3)
    const take = (times: number) => Array.from({ length: times }, () => limiter.take('a'))
    expect(take(4)).toEqual([true, true, true, false])
    clock.advance(1_000)
    expect(take(3)).toEqual([true, true, false])
    clock.advance(3_600_000)
    expect(take(4)).toEqual([true, true, true, false])
  })

  it('counts every key by itself', () => {
    const limiter = createLimiter(fakeClock(), 1, 1)
    expect([limiter.take('a'), limiter.take('b'), limiter.take('a')]).toEqual([true, true, false])
  })

  it('forgets the key that was used longest ago when there are too many', () => {
    const limiter = createLimiter(fakeClock(), 0.001, 1)
    limiter.take('first')
    limiter.take('second')
    expect(limiter.take('first')).toBe(false)
    for (let i = 0; i < 49_999; i += 1) limiter.take(`key${i}`)
    expect(limiter.take('first')).toBe(false)
    expect(limiter.take('second')).toBe(true)
  })
})

describe('semaphore', () => {
  function gate() {
    let open = (): void => undefined
    const opened = new Promise<void>((resolve) => (open = resolve))
    return { open, opened }
  }

  it('lets only so many run at once, in order', async () => {
    const run = createSemaphore(2, 10)
    const gates = [gate(), gate(), gate()]
    const started: number[] = []
    const all = gates.map(({ opened }, i) =>
      run(() => {
        started.push(i)
        return opened
      }),
    )
    expect(started).toEqual([0, 1])
    gates[1]?.open()
    await all[1]
    await new Promise((resolve) => setImmediate(resolve))
    expect(started).toEqual([0, 1, 2])
    for (const { open } of gates) open()
    await Promise.all(all)
  })

  it('refuses at once what the queue has no place for, and goes on after', async () => {
    const run = createSemaphore(1, 1)
    const { open, opened } = gate()
    const running = run(() => opened)
    const waiting = run(() => Promise.resolve('waited'))
    await expect(run(() => Promise.resolve())).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    open()
    await running
    expect(await waiting).toBe('waited')
    expect(await run(() => Promise.resolve('after'))).toBe('after')
  })

  it('goes on after a task that fails', async () => {
    const run = createSemaphore(1, 1)
    await expect(run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await run(() => Promise.resolve('next'))).toBe('next')
  })
})
