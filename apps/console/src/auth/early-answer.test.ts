import { auth } from '@bowline/contract/operations/auth'
import { afterEach, expect, it, vi } from 'vitest'
import { REFRESH_PATH, askEarly, takeEarly } from './early-answer.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

it('asks as the operation does', () => {
  expect({ path: REFRESH_PATH, method: 'POST' }).toEqual({
    path: auth.refreshSession.path,
    method: auth.refreshSession.method,
  })
})

it('gives the answer once', async () => {
  const send = vi.fn(async () => new Response('{}'))
  vi.stubGlobal('fetch', send)
  expect(takeEarly()).toBeUndefined()
  askEarly()
  expect(await (await takeEarly())?.text()).toBe('{}')
  expect(takeEarly()).toBeUndefined()
  expect(send).toHaveBeenCalledOnce()
})

it('leaves an answer that nobody has taken in ten seconds', () => {
  vi.stubGlobal('fetch', async () => new Response('{}'))
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
  askEarly()
  clock.mockReturnValue(10_000)
  expect(takeEarly()).toBeUndefined()
})

it('fails where the answer is taken', async () => {
  vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('fetch failed')))
  askEarly()
  await expect(takeEarly()).rejects.toThrow('fetch failed')
})
