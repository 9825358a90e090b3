import { describe, expect, it } from 'vitest'
import { type Transfers, type Work, createTransfers } from './transfers.ts'

/** A transfer that goes on until the test ends it. */
function byHand(transfers: Transfers, name: string) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let how: Work | undefined
  const result = transfers.add({ kind: 'download', name, total: 100 }, async (given) => {
    how = given
    given.signal.addEventListener('abort', () => reject(given.signal.reason as Error))
    await promise
  })
  return { result, resolve, reject, progress: (done: number) => how?.progress(done), hasBegun: () => how !== undefined }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const states = ({ list }: Transfers) => list.get().map(({ name, state }) => `${name} ${state}`)

describe('transfers', () => {
  it('run two at once, and the others wait for their turn', async () => {
    const transfers = createTransfers(() => 0)
    const [one, two, three] = ['one', 'two', 'three'].map((name) => byHand(transfers, name))
    await settled()
    expect(states(transfers)).toEqual(['one running', 'two running', 'three waiting'])
    one?.resolve()
    expect(await one?.result).toBe(true)
    await settled()
    expect(three?.hasBegun()).toBe(true)
    transfers.clear()
    expect(states(transfers)).toEqual(['two running', 'three running'])
    two?.resolve()
    three?.resolve()
    await settled()
    expect(transfers.isBusy()).toBe(false)
  })

  it('say why they failed, and which were cancelled, running or waiting', async () => {
    const transfers = createTransfers(() => 0)
    const [first, running, waiting] = ['first', 'running', 'waiting'].map((name) => byHand(transfers, name))
    await settled()
    transfers.cancelAll()
    expect(await waiting?.result).toBe(false)
    expect(await running?.result).toBe(false)
    expect(await first?.result).toBe(false)
    expect(waiting?.hasBegun()).toBe(false)
    expect(states(transfers)).toEqual(['first cancelled', 'running cancelled', 'waiting cancelled'])
    const second = byHand(transfers, 'second')
    await settled()
    second.reject(new Error('The account on the device may not do this.'))
    expect(await second.result).toBe(false)
    expect(transfers.list.get().at(-1)).toMatchObject({
      state: 'failed',
      error: 'The account on the device may not do this.',
    })
  })

  it('show their progress some times a second, and always the end', async () => {
    let now = 0
    const transfers = createTransfers(() => now)
    const one = byHand(transfers, 'one')
    await settled()
    one.progress(10)
    expect(transfers.list.get()[0]?.done).toBe(0)
    now = 100
    one.progress(20)
    expect(transfers.list.get()[0]?.done).toBe(20)
    one.progress(100)
    expect(transfers.list.get()[0]?.done).toBe(100)
    one.resolve()
    expect(await one.result).toBe(true)
  })
})
