import { expect, it } from 'vitest'
import { shareLookups } from './shared-lookups.ts'

/** Lookups that the test answers one after the other. */
function lookups() {
  const asked: { key: string; answer: (value: number) => void; fail: (error: Error) => void }[] = []
  const look = shareLookups((key: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    asked.push({ key, answer: resolve, fail: reject })
    return promise
  })
  return { asked, look }
}

it('shares the lookup after the one that is under way, which is older than the request', async () => {
  const { asked, look } = lookups()
  const first = look('a')
  const later = [look('a'), look('a'), look('a')]
  expect(asked).toHaveLength(1)
  asked[0]?.answer(1)
  expect(await first).toBe(1)
  await expect.poll(() => asked.length).toBe(2)
  asked[1]?.answer(2)
  expect(await Promise.all(later)).toEqual([2, 2, 2])
  const last = look('a')
  asked[2]?.answer(3)
  expect(await last).toBe(3)
})

it('looks different keys up at once', () => {
  const { asked, look } = lookups()
  void look('a')
  void look('b')
  expect(asked.map(({ key }) => key)).toEqual(['a', 'b'])
})

it('looks again after a failure', async () => {
  const { asked, look } = lookups()
  const [failing, later] = [look('a'), look('a')]
  asked[0]?.fail(new Error('no database'))
  await expect(failing).rejects.toThrow('no database')
  await expect.poll(() => asked.length).toBe(2)
  asked[1]?.answer(2)
  expect(await later).toBe(2)
})
