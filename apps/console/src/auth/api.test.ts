import { ApiError, createClient } from '@bowline/contract/client'
import { auth } from '@bowline/contract/operations/auth'
import { stats } from '@bowline/contract/operations/stats'
import { describe, expect, it } from 'vitest'
import { fakeFetch, jsonResponse, makeToken, makeUserAuth } from '../testing/answers.ts'
import { aTrace } from '../testing/trace.ts'
import { createApi } from './api.ts'
import { createSession } from './session.ts'

/** A server that accepts only the newest token; `endToken` revokes it. */
function setUp() {
  let issued = 0
  let valid = ''
  let cookie = true
  const { fetch, requests } = fakeFetch((request) => {
    if (request.url.endsWith(auth.refreshSession.path)) {
      if (!cookie) return jsonResponse({ message: 'no' }, { status: 401 })
      valid = makeToken(600, `token ${(issued += 1)}`)
      return jsonResponse(makeUserAuth({ token: valid }))
    }
    if (request.headers.get('authorization') !== `Bearer ${valid}`)
      return jsonResponse({ message: 'no' }, { status: 401 })
    return jsonResponse({ online_devices: 1 })
  })
  const client = createClient({ origin: '', fetch })
  const session = createSession({
    client,
    exclusively: (work) => work(),
    broadcast: () => {},
    now: () => 0,
    trace: aTrace(),
  })
  return {
    api: createApi(client, session),
    session,
    refreshes: () => requests.filter(({ url }) => url.endsWith(auth.refreshSession.path)).length,
    calls: () => requests.filter(({ url }) => url.endsWith(stats.get.path)).length,
    endToken: () => (valid = 'nobody has this one'),
    endCookie: () => (cookie = false),
  }
}

describe('a call', () => {
  it('sends the token with a call', async () => {
    const { api, session, calls } = setUp()
    await session.refresh(undefined)
    expect((await api.call(stats.get, {})).body).toMatchObject({ online_devices: 1 })
    expect(calls()).toBe(1)
  })

  it('repeats a call once with a new token after a 401', async () => {
    const { api, session, calls, refreshes, endToken } = setUp()
    await session.refresh(undefined)
    endToken()
    expect((await api.call(stats.get, {})).body).toMatchObject({ online_devices: 1 })
    expect([calls(), refreshes()]).toEqual([2, 2])
  })

  it('shares one refresh between all calls that got a 401', async () => {
    const { api, session, refreshes, endToken } = setUp()
    await session.refresh(undefined)
    endToken()
    await Promise.all(Array.from({ length: 10 }, () => api.call(stats.get, {})))
    expect(refreshes()).toBe(2)
  })

  it('fails with the 401 and ends the session when the cookie is gone too', async () => {
    const { api, session, calls, endToken, endCookie } = setUp()
    await session.refresh(undefined)
    endToken()
    endCookie()
    await expect(api.call(stats.get, {})).rejects.toBeInstanceOf(ApiError)
    expect(session.state.get()).toEqual({ kind: 'signed-out', expired: true })
    expect(calls()).toBe(1)
  })
})

it('gives up after the second 401 instead of retrying forever', async () => {
  const { fetch, requests } = fakeFetch((request) =>
    request.url.endsWith(auth.refreshSession.path)
      ? jsonResponse(makeUserAuth())
      : jsonResponse({ message: 'no' }, { status: 401 }),
  )
  const client = createClient({ origin: '', fetch })
  const session = createSession({
    client,
    exclusively: (work) => work(),
    broadcast: () => {},
    now: () => 0,
    trace: aTrace(),
  })
  await expect(createApi(client, session).call(stats.get, {})).rejects.toMatchObject({ status: 401 })
  expect(requests.map(({ url }) => new URL(url).pathname)).toEqual([
    '/api/stats',
    '/api/auth/session/refresh',
    '/api/stats',
  ])
})
