import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ApiError, callPath, createClient } from './client.ts'
import { operation } from './operation.ts'
import { operations } from './operations.ts'

const base = { method: 'GET', noun: 'x', summary: '', access: { kind: 'public' } } as const
const tagged = operation({
  ...base,
  path: '/api/tags/{tag}/of/{other}',
  params: z.object({ tag: z.string(), other: z.string() }),
})
const pathOf = (tag: string, other = 'x') => callPath(tagged, { params: { tag, other } })

describe('callPath', () => {
  it.each([
    ['plain', 'plain'],
    ['a b', 'a%20b'],
    ['a/b', 'a%2Fb'],
    ['../b', '..%2Fb'],
    ['a?b#c', 'a%3Fb%23c'],
    ['aa:bb', 'aa%3Abb'],
    ['50%', '50%25'],
    ['schön', 'sch%C3%B6n'],
    ['$& $1', '%24%26%20%241'],
    ['{other}', '%7Bother%7D'],
  ])('encodes the parameter %s as one path segment', (tag, segment) => {
    expect(pathOf(tag)).toBe(`/api/tags/${segment}/of/x`)
    expect(new URL(pathOf(tag), 'http://x').pathname.split('/')).toHaveLength(6)
  })

  it.each(['', '.', '..', '\ud800'])('refuses the parameter %j, which cannot be a path segment', (tag) => {
    expect(() => pathOf(tag)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', fields: ['tag'] }))
  })

  it('refuses a call without its path parameters', () => {
    expect(() => callPath(tagged, { params: { tag: 'x' } })).toThrow(expect.objectContaining({ fields: ['other'] }))
    expect(() => callPath(tagged, {})).toThrow(expect.objectContaining({ fields: ['tag'] }))
  })

  it('encodes the query and omits undefined values', () => {
    const query = { page: '2', filter: 'a+b/c=', status: '', per_page: undefined }
    expect(callPath(operations.devices.list, { query })).toBe('/api/devices?page=2&filter=a%2Bb%2Fc%3D&status=')
    expect(callPath(operations.devices.list, { query: {} })).toBe('/api/devices')
  })
})

interface Seen {
  readonly url: string
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** A server that answers every call the same and returns what it has received. */
async function server(status: number, body: string, headers: Record<string, string> = {}) {
  const seen: Seen[] = []
  const http = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk: Buffer) => (text += chunk.toString()))
    request.on('end', () => {
      seen.push({ url: request.url ?? '', headers: request.headers, body: text })
      response.writeHead(status, headers).end(body)
    })
  })
  stops.push(() => http.close())
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return { seen, origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}` }
}

describe('a call', () => {
  it('sends the current token, and JSON only when there is a body', async () => {
    const { seen, origin } = await server(200, '[]', { 'x-total-count': '7' })
    let token = 'first'
    const client = createClient({ origin, token: () => token })
    const { body, total } = await client.call(operations.devices.list, {})
    token = 'second'
    await client.call(operations.auth.login, { body: { username: 'ada', password: 'x' } })
    expect([body, total]).toEqual([[], 7])
    expect(seen).toMatchObject([
      { url: '/api/devices', headers: { authorization: 'Bearer first' }, body: '' },
      {
        url: '/api/login',
        headers: { authorization: 'Bearer second', 'content-type': 'application/json' },
        body: '{"username":"ada","password":"x"}',
      },
    ])
    expect(seen[0]?.headers['content-type']).toBeUndefined()
  })

  it('sends no credential without a token', async () => {
    const { seen, origin } = await server(200, '')
    const { body } = await createClient({ origin, token: () => undefined }).call(operations.instance.health, {})
    expect([body, seen[0]?.headers.authorization]).toEqual([undefined, undefined])
  })

  it('throws the server’s error message when the call fails', async () => {
    const answer = { message: 'email is taken.', code: 'CONFLICT', fields: ['email'] }
    const { origin } = await server(409, JSON.stringify(answer), { 'x-request-id': 'r1' })
    const failure = await createClient({ origin })
      .call(operations.instance.health, {})
      .catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ApiError)
    expect(failure).toMatchObject({
      status: 409,
      message: 'email is taken.',
      code: 'CONFLICT',
      fields: ['email'],
      requestId: 'r1',
    })
  })

  it.each([
    ['["name","email"]', ['name', 'email']],
    ['', []],
    ['<html>Bad gateway</html>', []],
    ['null', []],
    ['{"code":"toString","fields":"x"}', []],
  ])('throws when the call fails with the malformed body %s', async (text, fields) => {
    const { origin } = await server(400, text)
    const failure = await createClient({ origin })
      .call(operations.instance.health, {})
      .catch((error: unknown) => error)
    const message = 'The server, or a proxy in front of it, refused the request without a reason (HTTP 400).'
    expect(failure).toMatchObject({ status: 400, message, code: undefined, fields, requestId: '' })
  })

  it('says that the server failed where an answer has no text, and keeps the request id', async () => {
    const { origin } = await server(502, '<html>Bad gateway</html>', { 'x-request-id': 'r2' })
    const failure = await createClient({ origin })
      .call(operations.instance.health, {})
      .catch((error: unknown) => error)
    const message = 'The server failed to answer (HTTP 502). Try again; if it continues, its log has the cause.'
    expect(failure).toMatchObject({ status: 502, message, requestId: 'r2' })
  })

  it('throws when a successful response is not JSON, as from a proxy', async () => {
    const { origin } = await server(200, '<html>sign in to this network</html>')
    const failure = await createClient({ origin })
      .call(operations.stats.get, {})
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'ApiError', status: 200, message: 'The answer is not JSON.' })
  })

  it('can be aborted', async () => {
    const { origin } = await server(200, '')
    const signal = AbortSignal.abort()
    await expect(createClient({ origin }).call(operations.instance.health, { signal })).rejects.toThrow(/abort/i)
  })
})
