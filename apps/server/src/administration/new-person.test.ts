// Accounts that administrators of the server create for others.
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { disable, newAdministrator } from './testing.ts'

const { administration, auth, namespaces } = operations
const GRACE = { username: 'grace', email: 'grace@example.com', password: 'correct horse' }
let server: BootedServer
let admin: Person
beforeAll(async () => {
  server = await bootServer()
  admin = await server.setUpAccount()
})
afterAll(() => server.close())

const create = ({ client }: Pick<Person, 'client'>, change: Partial<typeof GRACE> = {}) =>
  client.call(administration.createPerson, { body: { ...GRACE, ...change } })

it('creates an account that signs in at once and owns namespaces, and says so in the log of the server', async () => {
  const { body } = await create(admin, { username: 'Grace', email: 'Grace@Example.com' })
  const facts = { username: 'grace', email: 'grace@example.com', state: 'confirmed', administrator: false }
  expect(body).toMatchObject({ ...facts, has_password: true, memberships: [], max_namespaces: -1 })
  const { username, password } = GRACE
  const { token } = (await admin.client.call(auth.login, { body: { username, password } })).body
  await server.client(token).call(namespaces.create, { body: { name: 'workshop' } })
  const [entry] = (await admin.client.call(administration.listAudit, { query: { action: 'account.create' } })).body
  expect(entry).toMatchObject({ actor: { id: admin.id }, target: body.id, details: { username: 'grace' } })
  expect(JSON.stringify(entry)).not.toContain(GRACE.password)
})

it('names the fields that are taken or refused', async () => {
  await create(admin, { username: 'ada-two', email: 'ada-two@example.com' })
  const other = { username: 'other', email: 'other@example.com' }
  for (const [change, status, fields] of [
    [{ ...other, username: 'ada-two' }, 409, ['username']],
    [{ ...other, email: 'ada-two@example.com' }, 409, ['email']],
    [{ ...other, password: 'other' }, 400, ['password']],
    [{ ...other, password: '1234' }, 400, ['password']],
    [{ ...other, username: 'someone@example.com' }, 400, ['username']],
    [{ ...other, email: 'no address' }, 400, ['email']],
  ] as const) {
    await expect(create(admin, change)).rejects.toMatchObject({ status, fields })
  }
})

it('is for administrators of the server only', async () => {
  const person = await server.addPerson('nosy')
  await expect(create(person, { username: 'x-one', email: 'x1@example.com' })).rejects.toMatchObject({ status: 403 })
  const former = await newAdministrator(server, 'former')
  await disable(admin, former)
  await expect(create(former, { username: 'x-two', email: 'x2@example.com' })).rejects.toMatchObject({ status: 401 })
})
