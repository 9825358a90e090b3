// Conversations of Microsoft Entra ID and of Okta, with the requests that they publish, over real HTTP.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unique } from '../registration/testing.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'
import { type TestProvider, startProvider } from './testing.ts'

let server: BootedServer
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1' } })
  await server.setUpAccount()
})
afterAll(() => server.close())

const CORE = 'urn:ietf:params:scim:schemas:core:2.0'
const PATCH = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'] }
const newPerson = () => server.addPerson(unique())
const memberOf = async ({ client, tenant }: Person, email: string) => {
  const { body } = await client.call(operations.namespaces.get, { params: { tenant } })
  return body.members.find((member) => member.email === email)
}
const accept = (person: Person, owner: Person) =>
  outcome(person.client.call(operations.members.acceptInvite, { params: { tenant: owner.tenant }, body: {} }))

describe('Microsoft Entra ID', () => {
  let entra: TestProvider
  let person: Person
  let user = ''
  beforeAll(async () => {
    entra = await startProvider(server, await newPerson())
    person = await newPerson()
  })
  const email = () => `${person.username}@example.com`

  it('tests the connection by asking for a user that is not there', async () => {
    const { status, headers, body } = await entra.send('GET', `/Users?filter=userName+eq+%22${crypto.randomUUID()}%22`)
    expect([status, headers.get('content-type')]).toEqual([200, 'application/scim+json; charset=utf-8'])
    expect(body).toMatchObject({ totalResults: 0, itemsPerPage: 0, startIndex: 1, Resources: [] })
  })

  it('creates a user who is invited, whose account and profile stay as they are', async () => {
    const body = {
      schemas: [`${CORE}:User`, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
      externalId: 'ada-0001',
      userName: email().toUpperCase(),
      active: true,
      displayName: 'Somebody Else',
      emails: [{ primary: true, type: 'work', value: email() }],
      meta: { resourceType: 'User' },
      name: { formatted: 'Ada Lovelace', familyName: 'Lovelace', givenName: 'Ada' },
      roles: [],
      'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Research' },
    }
    const created = await entra.send('POST', '/Users', body)
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({ userName: email().toUpperCase(), externalId: 'ada-0001', active: true })
    expect(created.headers.get('location')).toBe(created.body.meta.location)
    user = created.body.id
    expect(await memberOf(entra.owner, email())).toMatchObject({ id: person.id, status: 'pending', role: 'observer' })
    const account = server.database.system().selectFrom('users').selectAll().where('id', '=', person.id)
    expect(await account.executeTakeFirst()).toMatchObject({ name: person.username, email: email() })
    expect((await entra.send('POST', '/Users', body)).body).toMatchObject({ status: '409', scimType: 'uniqueness' })
  })

  it('finds the user by name in any case, and by its id', async () => {
    const found = await entra.send('GET', `/Users?filter=userName eq "${email()}"`)
    expect(found.body.Resources.map(({ id }: { id: string }) => id)).toEqual([user])
    const { status, body } = await entra.send('GET', `/Users/${user}`)
    expect([status, body.emails]).toEqual([200, [{ value: email(), type: 'work', primary: true }]])
  })

  it('lets the owner of the address accept, who is a member from then on', async () => {
    expect(await accept(person, entra.owner)).toBe('200')
    expect(await memberOf(entra.owner, email())).toMatchObject({ status: 'accepted' })
  })

  it('changes attributes by value paths and dotted names', async () => {
    const operations = [
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'ada.new@example.com' },
      { op: 'Add', path: 'name.familyName', value: 'King' },
      { op: 'Replace', value: { 'name.givenName': 'Augusta', displayName: 'A. King' } },
    ]
    const { status, body } = await entra.send('PATCH', `/Users/${user}`, { ...PATCH, Operations: operations })
    expect(status).toBe(200)
    expect(body).toMatchObject({
      displayName: 'A. King',
      name: { givenName: 'Augusta', familyName: 'King' },
      emails: [{ value: 'ada.new@example.com' }],
      active: true,
    })
    expect(await memberOf(entra.owner, email())).toMatchObject({ id: person.id, status: 'accepted' })
  })

  it('gives a group, whose name has a role, to its members', async () => {
    const params = { tenant: entra.owner.tenant }
    const roles = [{ group: 'bowline operators', role: 'operator' as const }]
    await entra.owner.client.call(operations.scim.update, { params, body: { roles } })
    const group = { schemas: [`${CORE}:Group`], externalId: 'g-1', displayName: 'Bowline Operators', members: [] }
    const created = await entra.send('POST', '/Groups', group)
    expect(created.status).toBe(201)
    const found = await entra.send(
      'GET',
      '/Groups?excludedAttributes=members&filter=displayName eq "Bowline Operators"',
    )
    expect(found.body.Resources).toMatchObject([{ id: created.body.id, displayName: 'Bowline Operators' }])
    const add = { op: 'Add', path: 'members', value: [{ $ref: null, value: user }] }
    expect((await entra.send('PATCH', `/Groups/${created.body.id}`, { ...PATCH, Operations: [add] })).status).toBe(204)
    expect(await memberOf(entra.owner, email())).toMatchObject({ role: 'operator' })
    const asked = await entra.send('GET', `/Groups?filter=id eq "${created.body.id}" and members eq "${user}"`)
    expect(asked.body.totalResults).toBe(1)
    const take = { op: 'Remove', path: 'members', value: [{ $ref: null, value: user }] }
    expect((await entra.send('PATCH', `/Groups/${created.body.id}`, { ...PATCH, Operations: [take] })).status).toBe(204)
    expect(await memberOf(entra.owner, email())).toMatchObject({ role: 'observer' })
  })

  it('ends the membership with active as the text False, and restores it', async () => {
    const set = (value: string) => ({ ...PATCH, Operations: [{ op: 'Replace', path: 'active', value }] })
    const off = await entra.send('PATCH', `/Users/${user}`, set('False'))
    expect([off.status, off.body.active]).toEqual([200, false])
    expect(await memberOf(entra.owner, email())).toBeUndefined()
    const on = await entra.send('PATCH', `/Users/${user}`, set('True'))
    expect([on.status, on.body.active]).toEqual([200, true])
    expect(await memberOf(entra.owner, email())).toMatchObject({ id: person.id, status: 'accepted' })
  })

  it('deletes the user, and the membership with it', async () => {
    expect((await entra.send('DELETE', `/Users/${user}`)).status).toBe(204)
    expect(await memberOf(entra.owner, email())).toBeUndefined()
    const gone = await entra.send('DELETE', `/Users/${user}`)
    expect(gone.body).toMatchObject({ schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'], status: '404' })
  })
})

describe('Okta', () => {
  let okta: TestProvider
  let user = ''
  const email = `${unique()}@example.com`
  beforeAll(async () => {
    okta = await startProvider(server, await newPerson())
  })
  const profile = (changes: object = {}) => ({
    schemas: [`${CORE}:User`],
    userName: email,
    name: { givenName: 'Grace', familyName: 'Hopper' },
    emails: [{ primary: true, value: email, type: 'work' }],
    displayName: 'Grace Hopper',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
    ...changes,
  })

  it('reads pages, of which an empty one is no error', async () => {
    const { body } = await okta.send('GET', '/Users?startIndex=1&count=2')
    expect(body).toMatchObject({ totalResults: 0, startIndex: 1, itemsPerPage: 0 })
  })

  it('creates a user without an account, who gets none before the address is proven', async () => {
    const { status, body } = await okta.send('POST', '/Users', profile(), { 'content-type': 'application/json' })
    expect([status, body.userName]).toEqual([201, email])
    user = body.id
    expect(await memberOf(okta.owner, email)).toMatchObject({ status: 'pending' })
    const account = server.database.system().selectFrom('users').selectAll().where('email', '=', email)
    expect(await account.executeTakeFirst()).toMatchObject({ status: 'invited', password_hash: null, name: null })
  })

  it('updates a user as a whole', async () => {
    const name = { givenName: 'Amazing', familyName: 'Grace' }
    const { status, body } = await okta.send('PUT', `/Users/${user}`, profile({ name, id: user }))
    expect([status, body.name.givenName]).toEqual([200, 'Amazing'])
  })

  it('deactivates a user by a change without a path, and activates them again as a whole', async () => {
    const change = { ...PATCH, Operations: [{ op: 'replace', value: { active: false } }] }
    expect((await okta.send('PATCH', `/Users/${user}`, change)).body.active).toBe(false)
    expect(await memberOf(okta.owner, email)).toBeUndefined()
    expect((await okta.send('GET', '/Users?filter=active eq false')).body.totalResults).toBe(1)
    expect((await okta.send('PUT', `/Users/${user}`, profile())).body.active).toBe(true)
    expect(await memberOf(okta.owner, email)).toMatchObject({ status: 'pending' })
  })

  it('pushes a group, renames it, and takes a member out by a value path', async () => {
    const params = { tenant: okta.owner.tenant }
    const roles = [
      { group: 'Admins', role: 'administrator' as const },
      { group: 'Operators', role: 'operator' as const },
    ]
    await okta.owner.client.call(operations.scim.update, { params, body: { roles } })
    const group = (displayName: string) => ({ schemas: [`${CORE}:Group`], displayName, members: [{ value: user }] })
    const { body: operators } = await okta.send('POST', '/Groups', group('operators'))
    const { body: other } = await okta.send('POST', '/Groups', group('Test SCIMv2'))
    expect(await memberOf(okta.owner, email)).toMatchObject({ role: 'operator' })
    const rename = { op: 'replace', value: { id: other.id, displayName: 'Admins' } }
    expect((await okta.send('PATCH', `/Groups/${other.id}`, { ...PATCH, Operations: [rename] })).status).toBe(204)
    expect(await memberOf(okta.owner, email)).toMatchObject({ role: 'administrator' })
    const take = { op: 'remove', path: `members[value eq "${user}"]` }
    expect((await okta.send('PATCH', `/Groups/${other.id}`, { ...PATCH, Operations: [take] })).status).toBe(204)
    expect(await memberOf(okta.owner, email)).toMatchObject({ role: 'operator' })
    expect((await okta.send('GET', `/Groups/${operators.id}`)).body.members).toMatchObject([
      { value: user, display: email },
    ])
    expect((await okta.send('DELETE', `/Groups/${operators.id}`)).status).toBe(204)
    expect(await memberOf(okta.owner, email)).toMatchObject({ role: 'observer' })
  })
})
