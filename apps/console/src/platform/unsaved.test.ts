import { afterEach, describe, expect, it } from 'vitest'
import { holdUnsaved, leaveQuestion, mayLeave } from './unsaved.ts'
import { isUnloadGuarded } from './unload-guard.ts'

const forget: (() => void)[] = []
afterEach(() => {
  for (const each of forget.splice(0)) each()
})
const hold = (isUnsaved: () => boolean): void => void forget.push(holdUnsaved(isUnsaved))

describe('leaving forms', () => {
  it('asks nothing where nothing would be lost', async () => {
    hold(() => false)
    expect(await mayLeave()).toBe(true)
    expect(isUnloadGuarded()).toBe(false)
  })

  it('asks while a form has changes, and takes the answer', async () => {
    hold(() => true)
    expect(isUnloadGuarded()).toBe(true)
    for (const answer of [true, false]) {
      const asked = mayLeave()
      leaveQuestion.get()?.(answer)
      expect(await asked).toBe(answer)
      expect(leaveQuestion.get()).toBeUndefined()
    }
    for (const each of forget.splice(0)) each()
    expect(await mayLeave()).toBe(true)
  })

  it('gives up the first way out when another is tried', async () => {
    hold(() => true)
    const [first, second] = [mayLeave(), mayLeave()]
    leaveQuestion.get()?.(true)
    expect(await Promise.all([first, second])).toEqual([false, true])
  })

  it('asks only for the forms that are left', async () => {
    hold(() => true)
    expect(await mayLeave(new Set([() => false]))).toBe(true)
  })
})
