// Commands about the passkeys of an account.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PUBLIC_URL, addPasskey } from '../../passkeys/testing/people.ts'
import { type BootedServer, type Person, bootServer, databaseUrl } from '../../testing/boot.ts'
import { commandLine } from '../testing.ts'

let server: BootedServer
let ada: Person
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_PUBLIC_URL: PUBLIC_URL } })
  ada = await server.setUpAccount()
})
afterAll(() => server.close())

const { bowline, json, refusal } = commandLine(() => ({
  BOWLINE_DATABASE_URL: databaseUrl(server.owner),
  BOWLINE_SECRET_KEY: server.secretKey,
}))

it('lists the passkeys of an account, and removes them by id or name', async () => {
  const first = await addPasskey(ada, undefined, 'laptop')
  await addPasskey(ada, undefined, 'phone')
  expect(await bowline('user passkeys ada')).toMatch(/laptop .* never +no\n.*phone/)
  expect(await json('user passkeys ada')).toMatchObject([{ name: 'laptop' }, { name: 'phone' }])
  expect(await refusal('user remove-passkey ada tablet')).toEqual([1, 'bowline: The passkey was not found.'])
  expect(await bowline(`user remove-passkey ada ${first.id}`)).toBe('Removed the passkey laptop of ada.')
  await addPasskey(ada, undefined, 'phone')
  expect(await refusal('user remove-passkey ada phone')).toEqual([
    1,
    'bowline: passkey: must be an id: several have this name.',
  ])
  expect(await bowline('user history ada')).toContain('passkey.remove')
})

it('removes the last passkey of an account without a password, and says what to do', async () => {
  const bob = await server.addPerson('bob')
  await addPasskey(bob, undefined, 'one')
  await addPasskey(bob, undefined, 'two')
  await bob.client.call(operations.passkeys.removePassword, {})
  expect(await bowline('user remove-passkey bob one')).toBe('Removed the passkey one of bob.')
  expect(await bowline('user remove-passkey bob two')).toBe(
    'Removed the passkey two of bob.\nbob has no way in now; set a password with bowline user password.',
  )
})
