// A version that a package has brought: it starts at once where sessions go on, and waits for their end elsewhere.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { mayHandOver, onceIdle } from './waiting-package.ts'

function asked(answer: boolean | undefined | Error, isBusy: boolean) {
  const lines: string[] = []
  const may = mayHandOver(
    {
      log: createLog('info', (line) => lines.push(line), false),
      announce: async () => {
        if (answer instanceof Error) throw answer
        return answer
      },
      isBusy: () => isBusy,
    },
    7,
  )
  return may.then((isAllowed) => [isAllowed, ...lines.map((line): unknown => JSON.parse(line).reason)])
}

test('starts where the server leaves the sessions, and where there are none', async () => {
  expect(await asked(true, true)).toEqual([true])
  expect(await asked(false, false)).toEqual([true])
})

test('waits where the server would end sessions, does not tell, or cannot be asked', async () => {
  const reason = 'the server would end the sessions of this device now'
  expect(await asked(false, true)).toEqual([false, reason])
  expect(await asked(undefined, true)).toEqual([false, reason])
  expect(await asked(new Error('no route'), false)).toEqual([false, 'no route'])
})

test('looks until there are no sessions', () => {
  const clock = new ManualClock()
  let [isBusy, isWaiting, runs] = [true, true, 0]
  const cancel = onceIdle(
    clock,
    () => isBusy,
    () => isWaiting,
    () => (runs += 1),
  )
  clock.advance(60_000)
  expect(runs).toBe(0)
  isBusy = false
  clock.advance(10_000)
  expect(runs).toBe(1)
  isWaiting = false
  clock.advance(60_000)
  expect(runs).toBe(1)
  cancel()
  expect(clock.pending).toBe(0)
})
