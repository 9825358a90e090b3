// Provisioning from the command line, beside a running server.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sendScim } from '../scim/testing.ts'
import { type BootedServer, type Person, bootServer, databaseUrl } from '../testing/boot.ts'
import { commandLine } from './testing.ts'

let server: BootedServer
let person: Person
beforeAll(async () => {
  server = await bootServer()
  person = await server.setUpAccount()
})
afterAll(() => server.close())

const { bowline, json, refusal } = commandLine(() => ({
  BOWLINE_DATABASE_URL: databaseUrl(server.owner),
  BOWLINE_SECRET_KEY: server.secretKey,
  BOWLINE_PUBLIC_URL: 'https://console.example',
}))

it('switches provisioning, makes a token that works, and revokes it', async () => {
  const status = async (token: string) =>
    (await sendScim(server, person.tenant, token, { method: 'GET', path: '/Users' })).status
  const token = await bowline(`scim token create okta ${person.namespace}`)
  expect(await status(token)).toBe(403)
  expect(await bowline(`scim enable ${person.namespace}`)).toBe(`Provisioning of ${person.namespace} is on.`)
  expect(await status(token)).toBe(200)
  expect(await json(`scim show ${person.namespace}`)).toMatchObject({
    enabled: true,
    base_url: `https://console.example/api/scim/v2/${person.tenant}`,
    tokens: [{ name: 'okta', created_by: person.id }],
  })
  expect(await bowline(`scim show ${person.namespace}`)).toContain('Provisioning is on.')
  expect(await bowline(`scim trust ${person.namespace}`)).toContain('when they sign in')
  expect(await json(`scim show ${person.namespace}`)).toMatchObject({ enabled: true, joins_at_sign_in: true })
  expect(await bowline(`scim distrust ${person.namespace}`)).toContain('when they accept')
  expect(await bowline(`scim token revoke okta ${person.namespace}`)).toBe('Revoked okta.')
  expect(await status(token)).toBe(401)
  expect(await refusal(`scim token revoke okta ${person.namespace}`)).toEqual([1, 'bowline: The token was not found.'])
  expect(await bowline(`scim disable ${person.namespace}`)).toBe(`Provisioning of ${person.namespace} is off.`)
})
