import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { DatabaseSilent, createPulse } from './pulse.ts'

const never = new Promise<never>(() => undefined)

describe('waiting for the database', () => {
  it('ends with the answer, or with the failure that came', async () => {
    const { watch } = createPulse(() => Promise.resolve(false))
    expect(await watch(Promise.resolve(1))).toBe(1)
    await expect(watch(Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  })

  it('is given up when a look finds nobody there, by all who wait after one look', async () => {
    let looks = 0
    const { watch } = createPulse(async () => {
      looks += 1
      return sleep(100, false)
    })
    const waiting = Array.from({ length: 10 }, () => watch(never))
    expect((await Promise.allSettled(waiting)).map((one) => one.status === 'rejected' && one.reason)).toEqual(
      Array.from({ length: 10 }, () => expect.any(DatabaseSilent)),
    )
    expect(looks).toBe(1)
  })

  it('goes on as long as a look finds it alive: a query may take its time', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    let looks = 0
    const { watch } = createPulse(() => {
      looks += 1
      if (looks === 2) resolve('late')
      return Promise.resolve(true)
    })
    expect(await watch(promise)).toBe('late')
    expect(looks).toBe(2)
  })

  it('is no wait again after silence: the next looks at once, and an answer ends the silence', async () => {
    let alive = false
    const { watch } = createPulse(() => Promise.resolve(alive))
    await expect(watch(never)).rejects.toThrow(DatabaseSilent)
    await expect(watch(never)).rejects.toThrow(DatabaseSilent)
    alive = true
    expect(await watch(Promise.resolve('back'))).toBe('back')
  })
})
