import { createClient } from '@bowline/contract/client'
import { describe, expect, it, vi } from 'vitest'
import { fakeFetch, jsonResponse, makeToken, makeUserAuth } from '../testing/answers.ts'
import { createFakeTimers } from '../testing/fake-timers.ts'
import { aTrace } from '../testing/trace.ts'
import { createSession, type TabMessage } from './session.ts'

type Answer = () => Response | Promise<Response>

function setUp(answer: Answer) {
  const { fetch, requests } = fakeFetch(answer)
  const timers = createFakeTimers()
  const sent: TabMessage[] = []
  const trace = aTrace()
  let concurrent = 0
  let maxConcurrent = 0
  const session = createSession({
    client: createClient({ origin: '', fetch }),
    exclusively: async (work) => {
      concurrent += 1
      maxConcurrent = Math.max(maxConcurrent, concurrent)
      try {
        return await work()
      } finally {
        concurrent -= 1
      }
    },
    broadcast: (message) => sent.push(message),
    now: timers.now,
    trace,
  })
  return { trace, session, requests, timers, sent, maxConcurrent: () => maxConcurrent }
}

const unauthorized = () => jsonResponse({ message: 'no', code: 'UNAUTHORIZED' }, { status: 401 })

describe('renewing', () => {
  it('gets a new token though the current one is valid, and notifies the other tabs', async () => {
    const { session, requests, sent } = setUp(() => jsonResponse(makeUserAuth()))
    await session.refresh(undefined)
    await session.renew()
    expect(requests).toHaveLength(2)
    expect(sent).toEqual([{ type: 'changed' }])
    session.receive({ type: 'changed' })
    await session.token()
    expect(requests).toHaveLength(3)
  })

  it('asks again for a change that is told during a refresh', async () => {
    const { session, requests } = setUp(() => jsonResponse(makeUserAuth()))
    const first = session.refresh(undefined)
    session.receive({ type: 'changed' })
    await first
    await vi.waitFor(() => expect(requests).toHaveLength(2))
  })
})

describe('a browser without a session', () => {
  it('does not ask the server, until another tab has signed in', async () => {
    const { session, requests, trace } = setUp(() => jsonResponse(makeUserAuth()))
    trace.note(false)
    expect(await session.refresh(undefined)).toEqual({ kind: 'signed-out', expired: false })
    expect(requests).toHaveLength(0)
    session.receive({ type: 'signed-in', id: 'ada' })
    await vi.waitFor(() => expect(session.state.get().kind).toBe('signed-in'))
    expect(trace.isLikely()).toBe(true)
  })

  it('is one after signing out, and after a refusal', async () => {
    let answer = () => jsonResponse(makeUserAuth())
    const { session, trace } = setUp(() => answer())
    await session.refresh(undefined)
    expect(trace.isLikely()).toBe(true)
    await session.signOut()
    expect(trace.isLikely()).toBe(false)
    await session.signIn({ username: 'ada', password: 'secret' })
    expect(trace.isLikely()).toBe(true)
    answer = unauthorized
    await session.renew()
    expect(trace.isLikely()).toBe(false)
  })
})

describe('refreshing', () => {
  it('exchanges the cookie once for any number of concurrent callers', async () => {
    const { session, requests } = setUp(() => jsonResponse(makeUserAuth()))
    const states = await Promise.all([
      session.refresh(undefined),
      session.refresh(undefined),
      session.refresh(undefined),
    ])
    expect(states.map(({ kind }) => kind)).toEqual(['signed-in', 'signed-in', 'signed-in'])
    expect(requests).toHaveLength(1)
  })

  it('skips the refresh for a caller whose token has already been replaced', async () => {
    const { session, requests } = setUp(() => jsonResponse(makeUserAuth()))
    await session.refresh(undefined)
    await session.refresh('an older token')
    expect(requests).toHaveLength(1)
  })

  it('replaces a token a minute before it expires, and not earlier', async () => {
    let count = 0
    const { session, timers } = setUp(() =>
      jsonResponse(makeUserAuth({ token: makeToken(600, `token ${(count += 1)}`) })),
    )
    await session.refresh(undefined)
    timers.advance(539_999)
    expect(await session.token()).toBe(makeToken(600, 'token 1'))
    timers.advance(1)
    expect(await session.token()).toBe(makeToken(600, 'token 2'))
    expect(count).toBe(2)
  })

  it('replaces a very short-lived token after half of its lifetime instead of at once', async () => {
    let count = 0
    const { session, timers } = setUp(() =>
      jsonResponse(makeUserAuth({ token: makeToken(20, `token ${(count += 1)}`) })),
    )
    await session.refresh(undefined)
    await session.token()
    expect(count).toBe(1)
    timers.advance(10_000)
    await session.token()
    expect(count).toBe(2)
  })

  it('reports signed out, not expired, when there never was a session', async () => {
    const { session } = setUp(unauthorized)
    expect(await session.refresh(undefined)).toEqual({ kind: 'signed-out', expired: false })
    expect(await session.token()).toBeUndefined()
  })

  it('reports an expired session when the server ends an established one', async () => {
    let ended = false
    const { session } = setUp(() => (ended ? unauthorized() : jsonResponse(makeUserAuth())))
    await session.refresh(undefined)
    ended = true
    expect(await session.refresh(await session.token())).toEqual({ kind: 'signed-out', expired: true })
  })

  it.each([
    ['does not answer', 'fetch failed', () => Promise.reject(new TypeError('fetch failed'))],
    ['cannot answer', 'down', () => jsonResponse({ message: 'down', code: 'UNAVAILABLE' }, { status: 503 })],
  ])('keeps the session when the server %s', async (_, message, failing) => {
    let answer: Answer = () => jsonResponse(makeUserAuth())
    const { session } = setUp(() => answer())
    await session.refresh(undefined)
    const token = await session.token()
    answer = failing
    await expect(session.refresh(token)).rejects.toThrow(message)
    expect(session.state.get().kind).toBe('signed-in')
    expect(await session.token()).toBe(token)
    answer = () => jsonResponse(makeUserAuth({ token: makeToken(600, 'next') }))
    await session.refresh(token)
    expect(await session.token()).toBe(makeToken(600, 'next'))
  })

  it('keeps the visible state unchanged when only the token changed', async () => {
    let count = 0
    const { session } = setUp(() => jsonResponse(makeUserAuth({ token: makeToken(600, String((count += 1))) })))
    const before = await session.refresh(undefined)
    let changes = 0
    session.state.subscribe(() => (changes += 1))
    expect(await session.refresh(await session.token())).toBe(before)
    expect(changes).toBe(0)
  })
})

describe('signing in and out', () => {
  it('keeps the token out of the state that the rest of the console sees', async () => {
    const { session } = setUp(() => jsonResponse(makeUserAuth({ token: makeToken(600, 'secret') })))
    await session.signIn({ username: 'ada', password: 'correct horse' })
    expect(JSON.stringify(session.state.get())).not.toContain(makeToken(600, 'secret'))
    expect(await session.token()).toBe(makeToken(600, 'secret'))
  })

  it('tells the other tabs about signing in and signing out', async () => {
    const { session, sent } = setUp(() => jsonResponse(makeUserAuth()))
    await session.signIn({ username: 'ada', password: 'correct horse' })
    await session.signOut()
    expect(sent).toEqual([{ type: 'signed-in', id: 'user-1' }, { type: 'signed-out' }])
    expect(session.state.get()).toEqual({ kind: 'signed-out', expired: false })
    expect(await session.token()).toBeUndefined()
  })

  it('signs out everywhere with the token and tells the other tabs', async () => {
    const { session, sent, requests } = setUp(() => jsonResponse(makeUserAuth()))
    await session.signIn({ username: 'ada', password: 'correct horse' })
    const token = await session.token()
    await session.signOutEverywhere()
    expect(requests.at(-1)).toMatchObject({ method: 'DELETE', url: expect.stringMatching(/\/api\/auth\/sessions$/) })
    expect(requests.at(-1)?.headers.get('authorization')).toBe(`Bearer ${token}`)
    expect(sent.at(-1)).toEqual({ type: 'signed-out' })
    expect(session.state.get()).toEqual({ kind: 'signed-out', expired: false })
  })

  it('stays signed in when the sign-out request fails', async () => {
    let down = false
    const { session, sent } = setUp(() => {
      if (down) throw new TypeError('fetch failed')
      return jsonResponse(makeUserAuth())
    })
    await session.signIn({ username: 'ada', password: 'correct horse' })
    down = true
    await expect(session.signOut()).rejects.toThrow('fetch failed')
    expect(session.state.get().kind).toBe('signed-in')
    expect(sent).toHaveLength(1)
  })

  it('takes the lock for everything that changes the cookie', async () => {
    const { session, maxConcurrent } = setUp(() => jsonResponse(makeUserAuth()))
    await session.refresh(undefined)
    await session.signOut()
    expect(maxConcurrent()).toBe(1)
  })
})

describe('a message from another tab', () => {
  it('signs this tab out when another tab signed out', async () => {
    const { session, requests } = setUp(() => jsonResponse(makeUserAuth()))
    await session.refresh(undefined)
    session.receive({ type: 'signed-out' })
    expect(session.state.get().kind).toBe('signed-out')
    expect(requests).toHaveLength(1)
  })

  it('follows when somebody else signed in in another tab', async () => {
    let id = 'user-1'
    const { session } = setUp(() => jsonResponse(makeUserAuth({ id, token: makeToken(600, id) })))
    await session.refresh(undefined)
    id = 'user-2'
    session.receive({ type: 'signed-in', id })
    await expect.poll(() => session.state.get()).toMatchObject({ person: { id: 'user-2' } })
  })

  it('ignores a sign-in in another tab of the person already shown', async () => {
    const { session, requests } = setUp(() => jsonResponse(makeUserAuth()))
    await session.refresh(undefined)
    session.receive({ type: 'signed-in', id: 'user-1' })
    expect(requests).toHaveLength(1)
  })
})
