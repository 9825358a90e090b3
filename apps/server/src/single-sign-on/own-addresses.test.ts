// Addresses for identity providers where no public address is set.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, bootServer } from '../testing/boot.ts'

let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
})
afterAll(() => server.close())

it('has the port that the server listens on, also where the system chose it', async () => {
  const { client } = await server.setUpAccount()
  const { own } = (await client.call(operations.singleSignOn.settings, {})).body
  const { port } = new URL(server.origin)
  const addresses = [own.entity_id, own.assertion_url, own.metadata_url, own.openid_redirect_url]
  expect(addresses.map((address) => new URL(address).host)).toEqual(Array(4).fill(`localhost:${port}`))
})
