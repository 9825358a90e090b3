// Deleted namespaces, as administrators of the server see and restore them.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BootedServer, PASSWORD, type Person, bootServer, outcome } from '../testing/boot.ts'
import { newAdministrator } from './testing.ts'

const { administration, audit, auth, mfa, namespaces } = operations
const DAY_MS = 86_400_000
let clock: ManualClock
let server: BootedServer
let admin: Person
beforeAll(async () => {
  clock = new ManualClock(Date.now())
  server = await bootServer({ clock, settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1' } })
  await server.setUpAccount()
  admin = await newAdministrator(server, 'admin')
})
afterAll(() => server.close())
beforeEach(async () => {
  admin = await again(admin)
  await admin.client.call(mfa.prove, { body: { current_password: PASSWORD } })
})

async function again(person: Person): Promise<Person> {
  const { body } = await server.client().call(auth.login, { body: { username: person.username, password: PASSWORD } })
  return { ...person, auth: body, client: server.client(body.token) }
}
const close = ({ client, tenant }: Person) => client.call(namespaces.remove, { params: { tenant } })
const deleted = (query: Record<string, string> = {}) =>
  admin.client.call(administration.listDeletedNamespaces, { query })
const restore = ({ client }: Pick<Person, 'client'>, { tenant }: Pick<Person, 'tenant'>) =>
  client.call(administration.restoreNamespace, { params: { namespace: tenant } })
const totalOf = (headers: Headers) => headers.get('x-total-count')

describe('deleted namespaces of the server', () => {
  it('are listed with their owners and their days, those that go first at the top, and found by a search', async () => {
    const [first, second] = [await server.addPerson('fern'), await server.addPerson('moss')]
    await server.addPerson('open')
    const begun = clock.now()
    await close(first)
    clock.advance(1_000)
    await close(second)
    const { body } = await deleted()
    expect(body).toEqual([
      {
        tenant_id: first.tenant,
        name: 'fern-home',
        owner: { id: first.id, username: 'fern', email: 'fern@example.com' },
        deleted_at: new Date(begun).toISOString(),
        removed_at: new Date(begun + 7 * DAY_MS).toISOString(),
      },
      expect.objectContaining({ name: 'moss-home' }),
    ])
    expect((await deleted({ search: 'MOSS@' })).body).toMatchObject([{ tenant_id: second.tenant }])
    const paged = await deleted({ per_page: '1', page: '2' })
    expect(paged.body).toMatchObject([{ name: 'moss-home' }])
    expect(totalOf(paged.headers)).toBe('2')
  })

  it('are restored for owners who could not do it themselves, once, and without a name in their log', async () => {
    const owner = await server.addPerson('reed')
    const account = server.database.system().updateTable('users').set({ max_namespaces: 1 })
    await account.where('id', '=', owner.id).execute()
    await close(owner)
    const before = await again(owner)
    await before.client.call(namespaces.create, { body: { name: 'reed-second' } })
    expect(await outcome(restore(admin, owner))).toBe('200')
    expect(await outcome(restore(admin, owner))).toBe('404 NOT_FOUND')
    const { body } = await before.client.call(auth.switchNamespace, { params: { tenant: owner.tenant } })
    const log = await server.client(body.token).call(audit.list, {})
    expect(log.body[0]).toMatchObject({
      action: 'namespace.undelete',
      actor: { type: 'system', name: 'server administration' },
      ip: '',
    })
    const ofServer = await admin.client.call(administration.listAudit, { query: { action: 'namespace.undelete' } })
    expect(ofServer.body[0]).toMatchObject({ actor: { name: 'admin' } })
  })

  it('are not restored after their week, nor when they were never deleted', async () => {
    const [late, open] = [await server.addPerson('ivy'), await server.addPerson('oak')]
    await close(late)
    expect(await outcome(restore(admin, open))).toBe('404 NOT_FOUND')
    clock.advance(7 * DAY_MS)
    admin = await again(admin)
    await admin.client.call(mfa.prove, { body: { current_password: PASSWORD } })
    expect(await outcome(restore(admin, late))).toBe('404 NOT_FOUND')
  })

  it('are shown and restored by nobody else, and not without a fresh proof', async () => {
    const owner = await server.addPerson('elm')
    await close(owner)
    const stranger = await server.addPerson('ash')
    const list = (client: Person['client']) => outcome(client.call(administration.listDeletedNamespaces, {}))
    expect(await list(stranger.client)).toBe('403 INSTANCE_ADMIN_REQUIRED')
    expect(await outcome(restore(stranger, owner))).toBe('403 INSTANCE_ADMIN_REQUIRED')
    clock.advance(11 * 60_000)
    expect(await list(admin.client)).toBe('403 FRESH_PROOF_REQUIRED')
    expect(await outcome(restore(admin, owner))).toBe('403 FRESH_PROOF_REQUIRED')
  })
})
