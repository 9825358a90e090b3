// Commands about the linked identities of an account.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { mailsTo } from '../../mails/testing/outbox.ts'
import { type BootedServer, type Person, bootServer, databaseUrl } from '../../testing/boot.ts'
import { commandLine } from '../testing.ts'

let server: BootedServer
let ada: Person
beforeAll(async () => {
  server = await bootServer()
  ada = await server.setUpAccount()
})
afterAll(() => server.close())

const { bowline, json, refusal } = commandLine(() => ({
  BOWLINE_DATABASE_URL: databaseUrl(server.owner),
  BOWLINE_SECRET_KEY: server.secretKey,
  BOWLINE_PUBLIC_URL: 'https://bowline.example.com',
}))

async function addIdentity({ id, auth: { email } }: Person): Promise<string> {
  const at = new Date()
  const identity = { id: randomUUID(), kind: 'openid', issuer: 'https://idp.example.org', subject: 'x', email } as const
  await server.database
    .system()
    .insertInto('identities')
    .values({ ...identity, subject: identity.id, user_id: id, linked_by: 'mail', created_at: at, last_used: at })
    .execute()
  return identity.id
}

it('lists the identities of an account and removes one, which its owner is told of', async () => {
  const id = await addIdentity(ada)
  expect(await json('user identities ada')).toMatchObject([
    { id, provider: 'https://idp.example.org', email: 'ada@example.com', linked_by: 'mail' },
  ])
  expect(await bowline('user identities ada')).toMatch(new RegExp(`${id} .* mail `))
  expect(await refusal('user remove-identity ada unknown')).toEqual([1, 'bowline: The identity was not found.'])
  expect(await bowline(`user remove-identity ada ${id}`)).toBe(
    'Removed the identity ada@example.com at https://idp.example.org of ada. Sessions stay: bowline user sign-out ada ends them.',
  )
  expect(await json('user identities ada')).toEqual([])
  expect(await bowline('user history ada')).toContain('identity.remove')
  const notices = await mailsTo(server, 'ada@example.com', 'notice')
  expect(notices.map(({ values: { event } }) => event)).toContain('identity-removed')
})

it('removes the last way in of an account, and says what to do', async () => {
  const bob = await server.addPerson('bob')
  const id = await addIdentity(bob)
  await server.database.system().updateTable('users').set({ password_hash: null }).where('id', '=', bob.id).execute()
  expect(await bowline(`user remove-identity bob ${id}`)).toContain(
    '\nbob has no way in now; set a password with bowline user password.',
  )
})
