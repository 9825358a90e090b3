import { describe, expect, it } from 'vitest'
import { GroupCommit } from './group-commit.ts'

/** Batches that end when the test says so. */
function held() {
  const batches: {
    readonly items: readonly string[]
    readonly end: () => void
    readonly fail: (error: Error) => void
  }[] = []
  const write = (items: readonly string[]): Promise<readonly string[]> =>
    new Promise((resolve, reject) => {
      batches.push({ items, end: () => resolve(items.map((item) => `${item}!`)), fail: reject })
    })
  const commit = new GroupCommit(write, { most: 3, keyOf: (item) => item[0] ?? '' })
  const batch = async (index: number) => {
    await expect.poll(() => batches.length).toBeGreaterThan(index)
    return batches[index]
  }
  return { commit, batch, batches }
}

describe('a group commit', () => {
  it('writes what arrives during a batch together in the next', async () => {
    const { commit, batch, batches } = held()
    const first = commit.add('a')
    expect((await batch(0))?.items).toEqual(['a'])
    const others = ['b', 'c', 'd', 'e'].map((item) => commit.add(item))
    expect(batches).toHaveLength(1)
    batches[0]?.end()
    expect(await first).toBe('a!')
    expect((await batch(1))?.items).toEqual(['b', 'c', 'd'])
    batches[1]?.end()
    expect((await batch(2))?.items).toEqual(['e'])
    batches[2]?.end()
    expect(await Promise.all(others)).toEqual(['b!', 'c!', 'd!', 'e!'])
  })

  it('puts items of one key into batches of their own, in order', async () => {
    const { commit, batch, batches } = held()
    const all = ['a1', 'a2', 'b1'].map((item) => commit.add(item))
    expect((await batch(0))?.items).toEqual(['a1', 'b1'])
    batches[0]?.end()
    expect((await batch(1))?.items).toEqual(['a2'])
    batches[1]?.end()
    expect(await Promise.all(all)).toEqual(['a1!', 'a2!', 'b1!'])
  })

  it('goes on after a batch that fails', async () => {
    const { commit, batch, batches } = held()
    const lost = [commit.add('a'), commit.add('b')].map((one) => one.catch((error: Error) => error.message))
    await batch(0)
    const kept = commit.add('c')
    batches[0]?.fail(new Error('away'))
    expect(await Promise.all(lost)).toEqual(['away', 'away'])
    ;(await batch(1))?.end()
    expect(await kept).toBe('c!')
  })
})
