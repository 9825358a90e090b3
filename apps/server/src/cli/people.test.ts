// What commands about people change: their keys, their roles.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshKeyData } from '../http/testing-samples.ts'
import { type BootedServer, PASSWORD, bootServer, databaseUrl } from '../testing.ts'
import { commandLine } from './testing.ts'

let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
  await bowline('user create ada - ada@example.com', PASSWORD)
  await bowline('namespace create works ada')
})
afterAll(() => server.close())

const { bowline } = commandLine(() => ({
  BOWLINE_DATABASE_URL: databaseUrl(server.owner),
  BOWLINE_SECRET_KEY: server.secretKey,
}))

async function signIn(username: string) {
  const { body } = await server.client().call(operations.auth.login, { body: { username, password: PASSWORD } })
  return { id: body.id, client: server.client(body.token) }
}

/** An administrator with a key of their own, one in the name of the owner, and a service key. */
async function withKeys(username: string) {
  await bowline(`user create ${username} - ${username}@example.com`, PASSWORD)
  await bowline(`namespace member add ${username} works administrator`)
  const [person, ada] = [await signIn(username), await signIn('ada')]
  for (const [kind, owner] of [
    ['own', person.id],
    ['owner', ada.id],
    ['service', null],
  ] as const) {
    await person.client.call(operations.publicKeys.create, {
      body: { name: `${username}-${kind}`, data: freshKeyData(), username: '.*', filter: { hostname: '.*' }, owner },
    })
  }
  return person
}

/** Keys of the namespace whose names begin so, and whether they are disabled. */
async function keysOf(username: string) {
  const { body } = await (await signIn('ada')).client.call(operations.publicKeys.list, { query: { per_page: '100' } })
  return body
    .filter(({ name }) => name.startsWith(username))
    .map(({ name, disabled, former_owner: owner }) => ({ name, disabled, owner }))
    .toSorted((one, other) => one.name.localeCompare(other.name))
}

describe('a deleted account', () => {
  it('leaves no working key behind, neither of its own nor one that it vouched for', async () => {
    const { id } = await withKeys('carl')
    const said = await bowline('user delete carl')
    expect(await keysOf('carl')).toEqual(
      ['own', 'owner', 'service'].map((kind) => ({ name: `carl-${kind}`, disabled: true, owner: 'carl@example.com' })),
    )
    expect(said.split('\n')).toEqual([
      'Deleted the user carl.',
      ...['own', 'owner', 'service'].map((kind) =>
        expect.stringMatching(`^Disabled the SSH key carl-${kind} \\([0-9a-f:]{47}\\) of works\\.$`),
      ),
    ])
    const log = await server.database
      .system()
      .selectFrom('audit_log')
      .select('action')
      .where('target', '=', id)
      .execute()
    expect(log.map(({ action }) => action)).toContain('member.remove')
  })
})
