import { once } from 'node:events'
import { type ServerResponse, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { whenClosed } from './when-closed.ts'

let answer: (response: ServerResponse) => void
const server = createServer((_request, response) => answer(response))
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening')
})
afterAll(() => server.close())

async function responseOf(): Promise<{ response: ServerResponse; leave: () => void }> {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>()
  answer = resolve
  const asked = request(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { agent: false })
  asked.on('error', () => undefined).end()
  return { response: await promise, leave: () => asked.destroy() }
}

it('tells of a client that leaves later, once', async () => {
  const { response, leave } = await responseOf()
  let told = 0
  whenClosed(response, () => (told += 1))
  expect(told).toBe(0)
  const closed = once(response, 'close')
  leave()
  await closed
  expect(told).toBe(1)
})

it('tells of a client that has left before', async () => {
  const { response, leave } = await responseOf()
  const closed = once(response, 'close')
  leave()
  await closed
  let told = 0
  whenClosed(response, () => (told += 1))
  expect(told).toBe(1)
})

it('tells of an answer that is complete', async () => {
  const { response } = await responseOf()
  const closed = once(response, 'close')
  let told = 0
  whenClosed(response, () => (told += 1))
  response.end('done')
  await closed
  expect(told).toBe(1)
})
