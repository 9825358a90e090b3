// Wrong credentials of one caller must not block others behind the same address.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'

let server: BootedServer
let ada: Person
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '' } })
  ada = await server.setUpAccount()
})
afterAll(() => server.close())

it('accepts a valid token while another client at its address guesses API keys', async () => {
  await ada.client.call(operations.stats.get, {})
  const guess = async (index: number) =>
    (await server.fetch('/api/devices', { headers: { 'x-api-key': `wrong-${index}` } })).status
  const statuses = await Promise.all(Array.from({ length: 400 }, (_, index) => guess(index)))
  expect(statuses).toContain(429)
  expect(statuses).toContain(401)
  await expect(ada.client.call(operations.stats.get, {})).resolves.toBeDefined()
})
