import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { type FastifyInstance, fastify } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bestEncoding, compressAnswers, constantDocument, packedOnce } from './compression.ts'

const LONG = { items: Array.from({ length: 100 }, (_, i) => ({ name: `device-${i}` })) }

let server: FastifyInstance
let built = 0
beforeAll(async () => {
  server = fastify()
  compressAnswers(server)
  server.get('/api/devices', async () => LONG)
  server.post('/api/devices', async () => LONG)
  server.get('/api/stats', async () => ({ few: 1 }))
  server.get('/api/text', async (_, reply) => reply.type('text/plain').send('x'.repeat(9_000)))
  for (const path of ['/api/auth/user', '/api/auth/token/1', '/api/token/1', '/api/user/mfa/generate']) {
    server.get(path, async () => LONG)
  }
  server.get('/api/namespaces/api-key', async () => LONG)
  const constant = constantDocument(() => {
    built += 1
    return JSON.stringify(LONG)
  })
  server.get('/openapi.json', constant)
  await server.ready()
})
afterAll(() => server.close())

const get = (url: string, accept = 'gzip, deflate, br') =>
  server.inject({ method: 'GET', url, headers: { 'accept-encoding': accept } })

describe('a constant document', () => {
  it('is packed once for each encoding', async () => {
    const packed = packedOnce(Buffer.from(JSON.stringify(LONG)))
    expect(packed('br')).toBe(packed('br'))
    expect(packed('gzip')).toBe(packed('gzip'))
    expect(await packed('br')).not.toEqual(await packed('gzip'))
  })

  it('is built once, and sent as the client accepts it', async () => {
    const [first, second] = [await get('/openapi.json'), await get('/openapi.json')]
    expect(first.headers).toMatchObject({ 'content-encoding': 'br', 'content-type': 'application/json; charset=utf-8' })
    expect(JSON.parse(brotliDecompressSync(first.rawPayload).toString())).toEqual(LONG)
    expect(second.rawPayload).toEqual(first.rawPayload)
    const zipped = await get('/openapi.json', 'gzip')
    expect(JSON.parse(gunzipSync(zipped.rawPayload).toString())).toEqual(LONG)
    const plain = await get('/openapi.json', 'identity')
    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect([plain.json(), plain.headers['vary'], built]).toEqual([LONG, 'accept-encoding', 1])
  })
})

describe('compressed answers', () => {
  it('compresses a long answer with Brotli or gzip and sets its content-length', async () => {
    const brotli = await get('/api/devices')
    expect(brotli.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' })
    expect(Number(brotli.headers['content-length'])).toBe(brotli.rawPayload.length)
    expect(brotli.rawPayload.length).toBeLessThan(JSON.stringify(LONG).length / 4)
    expect(JSON.parse(brotliDecompressSync(brotli.rawPayload).toString())).toEqual(LONG)
    const zipped = await get('/api/devices', 'gzip')
    expect(zipped.headers['content-encoding']).toBe('gzip')
    expect(JSON.parse(gunzipSync(zipped.rawPayload).toString())).toEqual(LONG)
  })

  it('leaves an answer uncompressed for clients without support and sets Vary', async () => {
    const plain = await get('/api/devices', 'identity')
    expect(plain.headers).not.toHaveProperty('content-encoding')
    expect(plain.headers['vary']).toBe('accept-encoding')
    expect(plain.json()).toEqual(LONG)
  })

  it.each([
    '/api/auth/user',
    '/api/auth/token/1',
    '/api/token/1',
    '/api/user/mfa/generate',
    '/api/namespaces/api-key',
    '/api/stats',
    '/api/text',
  ])('never compresses secrets, short answers or non-JSON: %s', async (url) => {
    expect((await get(url)).headers).not.toHaveProperty('content-encoding')
  })

  it('leaves answers to writes uncompressed', async () => {
    const answer = await server.inject({ method: 'POST', url: '/api/devices', headers: { 'accept-encoding': 'br' } })
    expect(answer.headers).not.toHaveProperty('content-encoding')
  })
})

describe('bestEncoding', () => {
  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', undefined],
    ['*', 'br'],
    ['*;q=0.1, br;q=0', 'gzip'],
    ['identity', undefined],
    ['', undefined],
    ['BR', 'br'],
    ['br;q=nonsense', undefined],
  ])('maps Accept-Encoding %j to %s', (accepted, expected) => {
    expect(bestEncoding(accepted)).toBe(expected)
  })
})
