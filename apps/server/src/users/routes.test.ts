// What people do with their own accounts, over HTTP.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, PASSWORD, type Person, bootServer, outcome } from '../testing.ts'

const { users, auth } = operations
let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
})
afterAll(() => server.close())

const newcomer = () => server.addPerson(`p${randomUUID().slice(0, 8)}`)
const update = (person: Person, body: Record<string, string>) => person.client.call(users.update, { body })
const self = async (person: Person) => (await person.client.call(auth.getUser, {})).body
const signIn = (username: string, password: string) =>
  outcome(server.client().call(auth.login, { body: { username, password } }))
const NEW = 'another-password'

describe('changing the own account', () => {
  it('changes what is given and leaves what is not, or is empty', async () => {
    const person = await newcomer()
    await update(person, { name: 'New Name', recovery_email: 'Second@Example.com', email: '', username: '' })
    expect(await self(person)).toMatchObject({
      name: 'New Name',
      user: person.username,
      email: `${person.username}@example.com`,
      recovery_email: 'second@example.com',
    })
    await update(person, {})
    expect((await self(person)).name).toBe('New Name')
  })

  it('never clears a recovery address, and never takes one that is the address', async () => {
    const person = await newcomer()
    const email = `${person.username}@example.com`
    expect(await outcome(update(person, { recovery_email: email }))).toBe('400 email,recovery_email')
    await update(person, { recovery_email: 'second@example.com' })
    await update(person, { recovery_email: '' })
    expect((await self(person)).recovery_email).toBe('second@example.com')
    expect(await outcome(update(person, { email: 'second@example.com' }))).toBe('400 email,recovery_email')
  })

  it('answers a bare list of field names: 400 for the invalid, 409 for the taken', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    expect(await outcome(update(person, { name: 'x', username: '!' }))).toBe('400 name,username')
    const taken = { username: other.username.toUpperCase(), email: `${other.username}@EXAMPLE.com` }
    expect(await outcome(update(person, taken))).toBe('409 username,email')
    const response = await server.fetch('/api/users', {
      method: 'PATCH',
      headers: { authorization: `Bearer ${person.auth.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(taken),
    })
    expect(await response.json()).toEqual(['username', 'email'])
  })

  it('of two people who take one name at once lets one have it', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => newcomer()))
    const outcomes = await Promise.all(people.map((person) => outcome(update(person, { username: 'wanted-by-all' }))))
    expect(outcomes.sort()).toEqual(['200', ...Array.from({ length: 4 }, () => '409 username')])
  })

  it('is for oneself only, under the older paths too', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    const data = (id: string) => person.client.call(users.updateData, { params: { id }, body: { name: 'Via Path' } })
    expect(await outcome(data(person.id))).toBe('200')
    expect((await self(person)).name).toBe('Via Path')
    expect(await outcome(data(other.id))).toBe('403 NOT_YOURS')
    const body = { current_password: PASSWORD, new_password: NEW }
    expect(await outcome(person.client.call(users.updatePassword, { params: { id: other.id }, body }))).toBe(
      '403 NOT_YOURS',
    )
    expect(await signIn(other.username, PASSWORD)).toBe('200')
  })
})

describe('a new password', () => {
  it('needs the current one, and another one than that', async () => {
    const person = await newcomer()
    expect(await outcome(update(person, { password: NEW }))).toBe('400 current_password')
    expect(await outcome(update(person, { password: NEW, current_password: 'wrong' }))).toBe('400 current_password')
    expect(await outcome(update(person, { password: PASSWORD, current_password: PASSWORD }))).toBe('400 password')
    expect(await outcome(update(person, { password: 'tiny', current_password: PASSWORD }))).toBe('400 password')
    expect(await signIn(person.username, PASSWORD)).toBe('200')
  })

  it.each(['users.update', 'users.updatePassword'])('ends every token and browser session: %s', async (way) => {
    const person = await newcomer()
    const session = await server.client().call(auth.createSession, {
      body: { username: person.username, password: PASSWORD },
    })
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
    const refresh = () => server.fetch('/api/auth/session/refresh', { method: 'POST', headers: { cookie } })
    if (way === 'users.update') await update(person, { password: NEW, current_password: PASSWORD })
    else {
      const body = { current_password: PASSWORD, new_password: NEW }
      await person.client.call(users.updatePassword, { params: { id: person.id }, body })
    }
    expect(await outcome(self(person))).toBe('401 UNAUTHORIZED')
    expect(await outcome(server.client(session.body.token).call(auth.getUser, {}))).toBe('401 UNAUTHORIZED')
    expect((await refresh()).status).toBe(401)
    expect(await signIn(person.username, PASSWORD)).toBe('401 BAD_CREDENTIALS')
    expect(await signIn(person.username, NEW)).toBe('200')
  })
})

describe('the recording switch', () => {
  it('is a bare boolean', async () => {
    const person = await newcomer()
    const params = { tenant: person.tenant }
    await person.client.call(users.setSecurity, { params, body: { session_record: true } })
    expect((await person.client.call(users.getSecurity, {})).body).toBe(true)
    await person.client.call(users.setSecurity, { params, body: {} })
    expect((await person.client.call(users.getSecurity, {})).body).toBe(false)
  })
})
