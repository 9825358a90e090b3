import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DatabaseUnresponsive, createPulse } from './pulse.ts'

const never = new Promise<never>(() => undefined)

describe('pulse of the database', () => {
  it('passes an answer or an error of the database through', async () => {
    const { watch } = createPulse(() => Promise.resolve(false))
    expect(await watch(Promise.resolve(1))).toBe(1)
    await expect(watch(Promise.reject(new Error('refused')))).rejects.toThrow('refused')
  })

  it('rejects all waiting queries after a single probe finds no answer', async () => {
    let looks = 0
    const { watch } = createPulse(async () => {
      looks += 1
      return sleep(100, false)
    })
    const waiting = Array.from({ length: 10 }, () => watch(never))
    expect((await Promise.allSettled(waiting)).map((one) => one.status === 'rejected' && one.reason)).toEqual(
      Array.from({ length: 10 }, () => expect.any(DatabaseUnresponsive)),
    )
    expect(looks).toBe(1)
  })

  it('keeps waiting for a slow query while probes are answered', async () => {
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

  it('gives up a query whose server was replaced, while the new one answers all the others', async () => {
    const { watch } = createPulse(() => Promise.resolve(true))
    const chatter = setInterval(() => void watch(Promise.resolve()), 50)
    onTestFinished(() => clearInterval(chatter))
    await expect(watch(never, () => true)).rejects.toThrow(DatabaseUnresponsive)
  })

  it('gives up a query as soon as a probe is answered by another server', async () => {
    let replaced = false
    const { watch } = createPulse(async () => (replaced = true))
    await expect(watch(never, () => replaced)).rejects.toThrow(DatabaseUnresponsive)
  })

  it('probes immediately after silence, until an answer arrives', async () => {
    let alive = false
    const { watch } = createPulse(() => Promise.resolve(alive))
    await expect(watch(never)).rejects.toThrow(DatabaseUnresponsive)
    await expect(watch(never)).rejects.toThrow(DatabaseUnresponsive)
    alive = true
    expect(await watch(Promise.resolve('back'))).toBe('back')
  })
})
