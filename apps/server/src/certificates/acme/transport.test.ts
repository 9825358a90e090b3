// HTTPS to an ACME server that does not behave.
import { type Server, createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { createPrivateKey } from 'node:crypto'
import { selfSignedCertificate } from '@bowline/link/testing/tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AcmeClient } from './client.ts'
import { newAccountKey } from './jws.ts'
import { createTransport } from './transport.ts'

const { key, cert } = selfSignedCertificate()
let server: Server
let origin: string
beforeAll(async () => {
  server = createServer({ key, cert }, ({ url }, response) => {
    if (url === '/large') return void response.end('x'.repeat(400_000))
    if (url === '/moved') return void response.writeHead(302, { location: 'https://127.0.0.1:1/' }).end()
    if (url === '/silent') return
    if (url === '/broken')
      return void response.writeHead(200, { 'content-length': 10 }).write('x', () => response.destroy())
    if (url === '/limited') {
      const problem = {
        type: 'urn:ietf:params:acme:error:rateLimited',
        detail: 'too many\n\u001b[31mcertificates\u202e',
      }
      response.writeHead(429, { 'retry-after': '7200', 'content-type': 'application/problem+json' })
      return void response.end(JSON.stringify(problem))
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"newNonce":"https://a/"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const never = new AbortController().signal
const get = (path: string, ca: string | undefined = cert, signal = never) =>
  createTransport(ca, signal)('GET', origin + path)
const client = (path: string) =>
  new AcmeClient(createTransport(cert, never), origin + path, createPrivateKey(newAccountKey()), () => Date.now())

describe('a connection to an authority', () => {
  it('follows no redirect', async () => {
    expect(await get('/moved')).toMatchObject({ status: 302 })
    await expect(client('/moved').directory()).rejects.toThrow('status 302')
  })

  it.each([
    ['/large', 'more than an ACME server should'],
    ['/broken', 'broke off'],
  ])('refuses the answer of %s', async (path, why) => {
    await expect(get(path)).rejects.toThrow(why)
  })

  it('refuses a server whose certificate it does not know', async () => {
    await expect(createTransport(undefined, never)('GET', origin)).rejects.toThrow(/cannot be reached: .*self-signed/)
  })

  it.each(['http://127.0.0.1/', 'file:///etc/passwd', 'nonsense'])('asks nothing of %s', async (url) => {
    await expect(createTransport(cert, never)('POST', url, '{}')).rejects.toThrow('not https')
  })

  it('ends when the server stops', async () => {
    const stopping = new AbortController()
    const call = get('/silent', cert, stopping.signal)
    stopping.abort()
    await expect(call).rejects.toThrow('the server stops')
  })
})

describe('an answer of an authority', () => {
  it('that refuses has its reason on one line, its type, and the time to wait', async () => {
    await expect(client('/limited').directory()).rejects.toMatchObject({
      message: 'The authority refuses to be read: too many [31mcertificates (rateLimited)',
      type: 'rateLimited',
      waitMs: 7_200_000,
      isRefusal: true,
    })
  })

  it('that is no directory is refused by the missing part', async () => {
    await expect(client('/').directory()).rejects.toThrow(
      'The directory of the authority is not as RFC 8555 says: newAccount',
    )
  })
})
