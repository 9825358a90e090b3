import { ApiError } from '@bowline/contract/client'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { inTurn } from './in-turn.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const limited = (seconds: string) =>
  new Error('Too many requests.', {
    cause: new ApiError(429, { message: 'Too many requests.' }, new Headers({ 'retry-after': seconds })),
  })

it('repeats a call that is rate limited, after as long as the server says', async () => {
  const call = vi.fn<() => Promise<string>>().mockRejectedValueOnce(limited('7')).mockResolvedValue('ticket')
  const answer = inTurn(call, new AbortController().signal)
  await vi.advanceTimersByTimeAsync(6_999)
  expect(call).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1_001)
  expect(await answer).toBe('ticket')
  expect(call).toHaveBeenCalledTimes(2)
})

it('does not repeat what failed for another reason', async () => {
  const call = vi.fn<() => Promise<string>>().mockRejectedValue(new Error('The device is gone.'))
  await expect(inTurn(call, new AbortController().signal)).rejects.toThrow('The device is gone.')
  expect(call).toHaveBeenCalledTimes(1)
})

it('waits no longer once it is stopped, and calls no more', async () => {
  const stop = new AbortController()
  const call = vi.fn<() => Promise<string>>().mockRejectedValue(limited('60'))
  const answer = inTurn(call, stop.signal).catch(String)
  await vi.advanceTimersByTimeAsync(1_000)
  stop.abort()
  expect(await answer).toContain('Too many requests.')
  expect(call).toHaveBeenCalledTimes(1)
})
