// Budgets of what provisioning sends to strangers: further namespaces and tokens are no further budget.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashOf } from '../platform/secrets/hash.ts'
import { unique } from '../registration/testing.ts'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { type TestProvider, startProvider } from './testing.ts'

const { auth, namespaces, scim } = operations
let server: BootedServer
beforeAll(async () => {
  server = await bootServer({
    settings: {
      BOWLINE_PUBLIC_URL: 'https://bowline.example.com',
      BOWLINE_REGISTRATION: 'open',
      BOWLINE_SMTP_URL: 'smtp://127.0.0.1:9',
      BOWLINE_SMTP_FROM: 'bowline@example.com',
      BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1',
    },
  })
  await server.setUpAccount()
})
afterAll(() => server.close())

const add = (provider: TestProvider) =>
  provider.send('POST', '/Users', { userName: `${unique()}@example.com`, active: true })

/** Lets a person have used a budget as often, which a call of theirs has used once. */
async function use(name: string, { id }: Person, spent: number): Promise<void> {
  const used = server.database.system().updateTable('budgets').set({ spent }).where('name', '=', name)
  const { numUpdatedRows } = await used.where('key', '=', hashOf(id)).where('spent', '=', 1).executeTakeFirst()
  expect(numUpdatedRows).toBe(1n)
}

/** A provider of one more namespace of the person. */
async function further(person: Person): Promise<TestProvider> {
  const { body: made } = await person.client.call(namespaces.create, { body: { name: unique() } })
  const { body } = await person.client.call(auth.switchNamespace, { params: { tenant: made.tenant_id } })
  return startProvider(server, { ...person, tenant: made.tenant_id, client: server.client(body.token) })
}

describe('provisioning by one person', () => {
  it('mails no more strangers from two namespaces than from one', async () => {
    const person = await server.addPerson(unique())
    expect((await add(await startProvider(server, person))).status).toBe(201)
    await use('invitations', person, 199)
    const second = await further(person)
    expect((await add(second)).status).toBe(201)
    const refused = await add(second)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '86400'])
    expect((await add(await startProvider(server, await server.addPerson(unique())))).status).toBe(201)
  })

  it('makes only so many people in all namespaces, also without mails', async () => {
    const person = await server.addPerson(unique())
    const known = await server.addPerson(unique())
    const silent = async (provider: TestProvider): Promise<TestProvider> => {
      const { client, tenant } = provider.owner
      await client.call(scim.update, { params: { tenant }, body: { mails: false } })
      return provider
    }
    const first = await silent(await startProvider(server, person))
    expect((await add(first)).status).toBe(201)
    await use('new people', person, 10_000)
    const second = await silent(await further(person))
    expect((await add(second)).status).toBe(429)
    // People who have an account are none of them.
    const answer = await second.send('POST', '/Users', { userName: known.auth.email, active: true })
    expect(answer.status).toBe(201)
  })
})
