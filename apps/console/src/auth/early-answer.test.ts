import { readFileSync } from 'node:fs'
import { auth } from '@bowline/contract/operations/auth'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { REFRESH_PATH, forgetEarly, takeEarlyList, takeEarlySession } from './early-answer.ts'

const LIST = '/api/devices?page=1'
const script = readFileSync(new URL('../../public/early.js', import.meta.url), 'utf8')
const stored = new Map<string, string>()
let answers: Record<string, () => Promise<Response>>
let asked: [string, RequestInit | undefined][]
let now: number

beforeEach(() => {
  stored.clear()
  stored.set('bowline.session', 'yes')
  asked = []
  now = 1_000
  answers = {
    [REFRESH_PATH]: async () => Response.json({ token: 'a token' }),
    [LIST]: async () => Response.json(['a device']),
  }
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    get length() {
      return stored.size
    },
  })
  vi.stubGlobal('fetch', (url: string, init?: RequestInit) => {
    asked.push([url, init])
    return answers[url]?.()
  })
  vi.spyOn(performance, 'now').mockImplementation(() => now)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  globalThis.bowlineEarly = undefined
})

/** Loads the page at an address, as the browser runs the script of its head. */
function load(address = '/devices?page=1'): void {
  const { pathname, search } = new URL(address, 'http://server')
  vi.stubGlobal('location', { pathname, search })
  forgetEarly()
  // oxlint-disable-next-line typescript/no-implied-eval -- the text of the file is what the page runs
  new Function(script)()
}

const authorized = (token = 'a token') => ({ authorization: `Bearer ${token}` })

it('asks as the operation does', () => {
  load()
  expect({ path: REFRESH_PATH, method: asked[0]?.[1]?.method }).toEqual({
    path: auth.refreshSession.path,
    method: auth.refreshSession.method,
  })
  expect(asked[0]?.[0]).toBe(REFRESH_PATH)
})

it('asks nothing where there is no session for sure', () => {
  const files: string[] = []
  vi.stubGlobal('document', {
    querySelector: () => ({ content: '/assets/a.js' }),
    createElement: () => ({ dataset: {} }),
    head: { append: ({ href }: { href: string }) => files.push(href) },
  })
  stored.set('bowline.session', 'no')
  load()
  expect(asked).toEqual([])
  expect(takeEarlySession()).toBeUndefined()
  expect(files, 'the page of the sign-in').toEqual(['/assets/a.js'])
})

it('gives the session once', async () => {
  load()
  expect(await (await takeEarlySession())?.json()).toEqual({ token: 'a token' })
  expect(takeEarlySession()).toBeUndefined()
})

it('leaves answers that nobody has taken in ten seconds', async () => {
  load()
  await takeEarlyList(LIST, authorized())
  load()
  now = 10_001
  expect(takeEarlySession()).toBeUndefined()
  expect(await takeEarlyList(LIST, authorized())).toBeUndefined()
})

it('fails where the session is taken', async () => {
  answers[REFRESH_PATH] = async () => Promise.reject(new TypeError('fetch failed'))
  load()
  await expect(takeEarlySession()).rejects.toThrow('fetch failed')
})

it('asks early for the list that the address asked for first the last time', async () => {
  load()
  expect(await takeEarlyList(LIST, authorized())).toBeUndefined()
  expect(asked).toHaveLength(1)
  load()
  expect(await (await takeEarlySession())?.json()).toEqual({ token: 'a token' })
  expect(await (await takeEarlyList(LIST, authorized()))?.json()).toEqual(['a device'])
  expect(asked.at(-1)).toEqual([LIST, { headers: authorized() }])
  expect(await takeEarlyList(LIST, authorized()), 'once').toBeUndefined()
  load('/devices?page=2')
  expect(globalThis.bowlineEarly?.list, 'another address').toBeUndefined()
})

it.each([
  ['another list', '/api/devices?page=2', authorized()],
  ['another token', LIST, authorized('another')],
  ['no token', LIST, undefined],
])('does not take it for %s', async (_, url, headers) => {
  load()
  await takeEarlyList(LIST, authorized())
  load()
  expect(await takeEarlyList(url, headers)).toBeUndefined()
})

it.each([
  ['nobody is signed in', REFRESH_PATH, async () => new Response('', { status: 401 })],
  ['the list cannot be loaded', LIST, async () => Promise.reject(new TypeError('fetch failed'))],
])('has no list when %s', async (_, url, answer) => {
  load()
  await takeEarlyList(LIST, authorized())
  answers[url] = answer
  load()
  expect(await takeEarlyList(LIST, authorized())).toBeUndefined()
})

it.each([
  ['nobody', 401, ['/assets/a.js', '/assets/b.js']],
  ['somebody', 200, []],
])('preloads the page of the sign-in when %s is signed in', async (_, status, expected) => {
  const links: { rel?: string; href?: string; dataset?: object }[] = []
  vi.stubGlobal('document', {
    querySelector: () => ({ content: '/assets/a.js /assets/b.js' }),
    createElement: () => ({ dataset: {} }),
    head: { append: (link: object) => links.push(link) },
  })
  answers[REFRESH_PATH] = async () => Response.json({}, { status })
  load()
  await takeEarlySession()
  expect(links.map(({ href }) => href)).toEqual(expected)
  for (const { dataset } of links) expect(dataset, 'start.ts leaves it to the page').toEqual({ page: 'sign-in' })
})

it.each([
  ['a call of a page without a list', '/setup?sign=secret', '/api/setup?sign=secret'],
  ['a list of another page', '/', '/api/devices?page=1'],
])('remembers nothing of %s', async (_, address, url) => {
  load(address)
  await takeEarlyList(url, authorized())
  expect([...stored.keys()]).toEqual(['bowline.session'])
})

it('sends the token nowhere but to the API', () => {
  stored.set('bowline.first-list', JSON.stringify({ address: '/devices?page=1', url: '//elsewhere/api/devices?' }))
  load()
  expect(globalThis.bowlineEarly?.list).toBeUndefined()
})
