// Changes of people's own accounts, over HTTP.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, PASSWORD, type Person, bootServer, outcome } from '../testing/boot.ts'

const { users, auth } = operations
let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
})
afterAll(() => server.close())

const newcomer = () => server.addPerson(`p${randomUUID().slice(0, 8)}`)
const update = (person: Person, body: Record<string, string>) => person.client.call(users.update, { body })
const proven = (person: Person, body: Record<string, string>) => update(person, { ...body, current_password: PASSWORD })
const self = async (person: Person) => (await person.client.call(auth.getUser, {})).body
const signIn = (username: string, password: string) =>
  outcome(server.client().call(auth.login, { body: { username, password } }))
const NEW = 'another-password'

describe('changing one’s own account', () => {
  it('changes the given fields and keeps omitted or empty ones', async () => {
    const person = await newcomer()
    await proven(person, { name: 'New Name', recovery_email: 'Second@Example.com', email: '', username: '' })
    expect(await self(person)).toMatchObject({
      name: 'New Name',
      user: person.username,
      email: `${person.username}@example.com`,
      recovery_email: 'second@example.com',
    })
    await update(person, {})
    expect((await self(person)).name).toBe('New Name')
  })

  it('keeps the recovery address and rejects one equal to the address', async () => {
    const person = await newcomer()
    const email = `${person.username}@example.com`
    expect(await outcome(update(person, { recovery_email: email }))).toBe('400 email,recovery_email')
    await proven(person, { recovery_email: 'second@example.com' })
    await update(person, { recovery_email: '' })
    expect((await self(person)).recovery_email).toBe('second@example.com')
    expect(await outcome(update(person, { email: 'second@example.com' }))).toBe('400 email,recovery_email')
  })

  it('answers with a bare list of fields: 400 for invalid, 409 for taken ones', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    expect(await outcome(update(person, { name: 'x', username: '!' }))).toBe('400 name,username')
    const taken = {
      username: other.username.toUpperCase(),
      email: `${other.username}@EXAMPLE.com`,
      current_password: PASSWORD,
    }
    expect(await outcome(update(person, taken))).toBe('409 username,email')
    const response = await server.fetch('/api/users', {
      method: 'PATCH',
      headers: { authorization: `Bearer ${person.auth.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(taken),
    })
    expect(await response.json()).toEqual(['username', 'email'])
  })

  it('gives a username to one of several concurrent callers', async () => {
    const people = await Promise.all(Array.from({ length: 5 }, () => newcomer()))
    const outcomes = await Promise.all(people.map((person) => outcome(update(person, { username: 'wanted-by-all' }))))
    expect(outcomes.sort()).toEqual(['200', ...Array.from({ length: 4 }, () => '409 username')])
  })

  it('rejects changes of other accounts under the older paths', async () => {
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

describe('changing the password', () => {
  it('requires the current password and a different new one', async () => {
    const person = await newcomer()
    expect(await outcome(update(person, { password: NEW }))).toBe('400 current_password')
    expect(await outcome(update(person, { password: NEW, current_password: 'wrong' }))).toBe('400 current_password')
    expect(await outcome(update(person, { password: PASSWORD, current_password: PASSWORD }))).toBe('400 password')
    expect(await outcome(update(person, { password: 'tiny', current_password: PASSWORD }))).toBe('400 password')
    expect(await signIn(person.username, PASSWORD)).toBe('200')
  })

  it.each(['users.update', 'users.updatePassword'])(
    'ends every token and browser session on a new password: %s',
    async (way) => {
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
    },
  )
})

describe('recording switch', () => {
  it('returns the recording switch as a bare boolean', async () => {
    const person = await newcomer()
    const params = { tenant: person.tenant }
    await person.client.call(users.setSecurity, { params, body: { session_record: true } })
    expect((await person.client.call(users.getSecurity, {})).body).toBe(true)
    await person.client.call(users.setSecurity, { params, body: {} })
    expect((await person.client.call(users.getSecurity, {})).body).toBe(false)
  })
})

describe('changing an address', () => {
  it('requires the current password for a new address only', async () => {
    const person = await newcomer()
    for (const body of [{ email: 'attacker@evil.test' }, { recovery_email: 'attacker@evil.test' }]) {
      expect(await outcome(update(person, body))).toBe('400 current_password')
      expect(await outcome(update(person, { ...body, current_password: 'wrong' }))).toBe('400 current_password')
      const data = person.client.call(users.updateData, { params: { id: person.id }, body })
      expect(await outcome(data)).toBe('400 current_password')
    }
    expect(await self(person)).toMatchObject({ email: `${person.username}@example.com`, recovery_email: '' })
    const email = `new-${person.username}@example.com`
    expect(await outcome(update(person, { email, current_password: PASSWORD }))).toBe('200')
    // Consoles send every field, changed or not.
    expect(await outcome(update(person, { name: 'Renamed', email, recovery_email: '' }))).toBe('200')
    expect(await self(person)).toMatchObject({ email, name: 'Renamed' })
  })

  it('limits probing for registered addresses to five answers per hour', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    const ask = (body: Record<string, string>) => outcome(update(person, { ...body, current_password: PASSWORD }))
    const taken = { email: `${other.username}@example.com` }
    expect(await ask(taken)).toBe('409 email')
    expect(await ask({ username: other.username })).toBe('409 username')
    const rest = await Promise.all(Array.from({ length: 12 }, () => ask(taken)))
    expect(rest.filter((answer) => answer === '409 email')).toHaveLength(3)
    expect(rest.filter((answer) => answer === '429 TOO_MANY_REQUESTS')).toHaveLength(9)
    expect(await ask({ email: 'free@example.com' })).toBe('429 TOO_MANY_REQUESTS')
    expect(await ask({ name: 'Unhindered' })).toBe('200')
  })
})

describe('guesses at the current password', () => {
  it.each<[string, (person: Person, guess: string) => Promise<unknown>]>([
    ['users.update', (person, guess) => update(person, { password: NEW, current_password: guess })],
    ['users.update of an address', (person, guess) => update(person, { email: 'a@b.test', current_password: guess })],
    [
      'users.updatePassword',
      (person, guess) => {
        const body = { current_password: guess, new_password: NEW }
        return person.client.call(users.updatePassword, { params: { id: person.id }, body })
      },
    ],
  ])('locks the account after wrong current passwords, sign-in included: %s', async (_, guess) => {
    const person = await newcomer()
    const tried = async (password: string) => outcome(guess(person, password))
    for (const answer of [await tried('wrong'), await tried('wrong')])
      expect(answer).toMatch(/^400.* current_password$/)
    expect([await tried('wrong'), await tried(PASSWORD)]).toEqual(['429 LOCKED_OUT', '429 LOCKED_OUT'])
    expect(await signIn(person.username, PASSWORD)).toBe('429 LOCKED_OUT')
    expect((await self(person)).email).toBe(`${person.username}@example.com`)
  })
})

describe('concurrent password changes', () => {
  it('accepts one of two concurrent password changes', async () => {
    for (let round = 0; round < 10; round += 1) {
      const person = await newcomer()
      const change = (password: string) => outcome(update(person, { password, current_password: PASSWORD }))
      const outcomes = await Promise.all([change('first-of-two'), change('second-of-two')])
      expect(outcomes.filter((answer) => answer === '200')).toHaveLength(1)
    }
  })
})

describe('password rules', () => {
  it('rejects the username or the address as password', async () => {
    const person = await newcomer()
    for (const password of [person.username, person.username.toUpperCase(), `${person.username}@example.com`]) {
      expect(await outcome(update(person, { password, current_password: PASSWORD }))).toBe('400 password')
    }
  })
})
