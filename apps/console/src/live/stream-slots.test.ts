import { expect, it } from 'vitest'
import { createStreamSlots } from './stream-slots.ts'

/** Locks as a browser has them, for all pages. */
function createLocks() {
  const held = new Set<string>()
  return {
    async request(name: string, _options: unknown, work: (lock: object | null) => unknown) {
      if (held.has(name)) return work(null)
      held.add(name)
      try {
        return await work({ name })
      } finally {
        held.delete(name)
      }
    },
  } as unknown as LockManager
}

it('has three places for all pages, and a released one is free again', async () => {
  const locks = createLocks()
  const pages = Array.from({ length: 4 }, () => createStreamSlots(locks))
  const slots = await Promise.all(pages.map((page) => page.take()))
  expect(slots.map((slot) => slot !== undefined)).toEqual([true, true, true, false])
  slots[1]?.release()
  await expect.poll(() => pages[3]?.take()).toBeDefined()
})

it('limits nothing where the browser has no locks', async () => {
  const { take } = createStreamSlots(undefined)
  for (let page = 0; page < 5; page += 1) expect(await take()).toBeDefined()
})
