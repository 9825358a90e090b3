// A person's own passkeys over HTTP: add, list, rename, remove, proofs and the password.
import { operations } from '@bowline/contract/operations'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mailsTo } from '../mails/testing/outbox.ts'
import { type BootedServer, PASSWORD, type Person, bootServer, outcome } from '../testing/boot.ts'
import { type Algorithm, type Departures, SoftwareAuthenticator } from './testing/authenticator.ts'
import { PUBLIC_URL, addPasskey, codeOf, creationOptions, pendingToken, signIn } from './testing/people.ts'

const { passkeys, auth, users } = operations
const MINUTE = 60_000
let clock: ManualClock
let server: BootedServer
let count = 0
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock, settings: { BOWLINE_PUBLIC_URL: PUBLIC_URL } })
  await server.setUpAccount()
})
afterAll(() => server.close())
// Budgets per source refill meanwhile.
beforeEach(() => clock.advance(MINUTE))

const newcomer = (): Promise<Person> => server.addPerson(`p${(count += 1)}`)
const listOf = async (person: Person) => (await person.client.call(passkeys.list, {})).body
const register = (person: Person, credential: ReturnType<SoftwareAuthenticator['create']>, name = 'laptop') =>
  person.client.call(passkeys.register, { body: { name, credential } })
const eventsOf = async (person: Person) => {
  const { body } = await person.client.call(users.listActivity, {})
  return body.map(({ kind, details }) => ({ kind, details }))
}

describe('adding a passkey', () => {
  it('needs the current password of an account without a second factor, and counts wrong ones', async () => {
    const person = await newcomer()
    const options = (current_password?: string) =>
      outcome(person.client.call(passkeys.registerOptions, { body: { current_password } }))
    expect(await options()).toBe('400 INVALID_INPUT current_password')
    expect(await options('')).toBe('400 INVALID_INPUT current_password')
    for (let guess = 0; guess < 2; guess += 1) expect(await options('wrong')).toBe('400 INVALID_INPUT current_password')
    expect(await options('wrong')).toBe('429 LOCKED_OUT')
    expect(await options(PASSWORD)).toBe('429 LOCKED_OUT')
    expect((await eventsOf(person)).map(({ kind }) => kind)).toContain('sign-in.lock')
  })

  it('needs a fresh proof of an account with one, whatever the password', async () => {
    const person = await newcomer()
    const { authenticator } = await addPasskey(person)
    clock.advance(11 * MINUTE)
    const options = () => codeOf(person.client.call(passkeys.registerOptions, { body: { current_password: PASSWORD } }))
    expect(await options()).toBe('FRESH_PROOF_REQUIRED')
    const { body: request } = await person.client.call(passkeys.proveOptions, {})
    await person.client.call(passkeys.prove, { body: { credential: authenticator.get(request) } })
    expect(await options()).toBe('passed')
  })

  it('ends the other sign-ins of the person with the first one', async () => {
    const person = await newcomer()
    const { body } = await server.client().call(auth.login, { body: { username: person.username, password: PASSWORD } })
    await addPasskey(person)
    const again = server.client(body.token).call(auth.getUser, {})
    await expect(again).rejects.toMatchObject({ status: 401 })
    await expect(person.client.call(auth.getUser, {})).resolves.toBeDefined()
  })

  it('asks for a discoverable one of this host, without attestation', async () => {
    const person = await newcomer()
    const { authenticator } = await addPasskey(person)
    const options = await creationOptions(person)
    expect(options).toMatchObject({
      rp: { id: 'bowline.example.com', name: 'Bowline' },
      user: { name: person.username, id: Buffer.from(person.id).toString('base64url') },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [{ id: authenticator.credentialId }],
    })
    expect(options.pubKeyCredParams.map(({ alg }) => alg)).toEqual([-8, -7, -257])
  })

  it('shows what it knows about the passkey', async () => {
    const person = await newcomer()
    await addPasskey(person, new SoftwareAuthenticator(PUBLIC_URL, { isBackedUp: true }), '  phone ')
    clock.advance(1)
    await addPasskey(person)
    expect(await listOf(person)).toMatchObject([
      { name: 'phone', backed_up: true, device_type: 'multi-device', last_used_at: '0001-01-01T00:00:00Z' },
      { name: 'laptop', backed_up: false, device_type: 'single-device' },
    ])
  })

  it('tells the owner by mail and event', async () => {
    const person = await newcomer()
    await addPasskey(person)
    expect(await eventsOf(person)).toContainEqual({ kind: 'passkey.add', details: { name: 'laptop' } })
    const [mail, ...more] = await mailsTo(server, `${person.username}@example.com`, 'notice')
    expect(more).toEqual([])
    expect(mail?.values).toMatchObject({ event: 'passkey-added', subject: 'laptop', link: `${PUBLIC_URL}/profile` })
  })

  it.each<[string, Departures]>([
    ['another origin', { origin: 'https://evil.example.com' }],
    ['another relying party', { rpId: 'evil.example.com' }],
    ['a user that was not verified', { userVerified: false }],
    ['the type of a sign-in', { type: 'webauthn.get' }],
    ['a challenge that the server never made', { challenge: Buffer.alloc(54, 7).toString('base64url') }],
    [
      'an attestation with a certificate',
      { attestation: { fmt: 'packed', attStmt: new Map([['x5c', [new Uint8Array(9)]]]) } },
    ],
    ['an unknown attestation', { attestation: { fmt: 'other', attStmt: new Map() } }],
    ['a statement of no attestation', { attestation: { fmt: 'none', attStmt: new Map([['x', 1]]) } }],
  ])('refuses %s', async (_, but) => {
    const person = await newcomer()
    const credential = new SoftwareAuthenticator(PUBLIC_URL).create(await creationOptions(person), but)
    expect(await codeOf(register(person, credential))).toBe('PASSKEY_INVALID')
    expect(await listOf(person)).toEqual([])
  })

  it.each<Algorithm>(['EdDSA', 'RS256'])('refuses a broken key of %s', async (algorithm) => {
    const person = await newcomer()
    const authenticator = new SoftwareAuthenticator(PUBLIC_URL, { algorithm })
    const credential = authenticator.create(await creationOptions(person))
    const bytes = Buffer.from(credential.response.attestationObject, 'base64url')
    const attestationObject = bytes.subarray(0, bytes.length - 9).toString('base64url')
    const broken = { ...credential, response: { ...credential.response, attestationObject } }
    expect(await codeOf(register(person, broken))).toBe('PASSKEY_INVALID')
  })

  it('refuses an id that is not that of the credential', async () => {
    const person = await newcomer()
    const credential = new SoftwareAuthenticator(PUBLIC_URL).create(await creationOptions(person))
    expect(await codeOf(register(person, { ...credential, id: 'AAAA', rawId: 'AAAA' }))).toBe('PASSKEY_INVALID')
  })

  it('refuses a challenge of another person, of another sign-in, expired or used', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    const create = (options: Awaited<ReturnType<typeof creationOptions>>) =>
      new SoftwareAuthenticator(PUBLIC_URL).create(options)
    expect(await codeOf(register(other, create(await creationOptions(person))))).toBe('PASSKEY_INVALID')
    const { body: again } = await server
      .client()
      .call(auth.login, { body: { username: person.username, password: PASSWORD } })
    const elsewhere = { ...person, client: server.client(again.token) }
    expect(await codeOf(register(elsewhere, create(await creationOptions(person))))).toBe('PASSKEY_INVALID')
    const late = await creationOptions(person)
    clock.advance(5 * MINUTE)
    expect(await codeOf(register(person, create(late)))).toBe('PASSKEY_INVALID')
    const options = await creationOptions(person)
    expect(await codeOf(register(person, create(options)))).toBe('passed')
    expect(await codeOf(register(person, create(options)))).toBe('PASSKEY_INVALID')
  })

  it('refuses a challenge proven by password once the account has a factor', async () => {
    const person = await newcomer()
    const early = await creationOptions(person)
    await addPasskey(person)
    const credential = new SoftwareAuthenticator(PUBLIC_URL).create(early)
    expect(await codeOf(register(person, credential))).toBe('PASSKEY_INVALID')
  })

  it('adds one of concurrent registrations under one challenge', async () => {
    const person = await newcomer()
    const options = await creationOptions(person)
    const codes = await Promise.all(
      Array.from({ length: 10 }, () => codeOf(register(person, new SoftwareAuthenticator(PUBLIC_URL).create(options)))),
    )
    expect(codes.filter((code) => code === 'passed')).toHaveLength(1)
    expect(await listOf(person)).toHaveLength(1)
  })

  it('refuses a credential that is registered already, also by somebody else', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    const { authenticator } = await addPasskey(person)
    expect(await codeOf(addPasskey(person, authenticator))).toBe('PASSKEY_KNOWN')
    expect(await codeOf(addPasskey(other, authenticator))).toBe('PASSKEY_KNOWN')
    expect(await listOf(other)).toEqual([])
  })

  it('allows 25 passkeys, also to concurrent calls', async () => {
    const person = await newcomer()
    await addPasskey(person)
    const options = []
    for (let made = 0; made < 30; made += 1) options.push(await creationOptions(person))
    const codes = await Promise.all(
      options.map((one) => codeOf(register(person, new SoftwareAuthenticator(PUBLIC_URL).create(one)))),
    )
    expect(codes.filter((code) => code === 'passed')).toHaveLength(24)
    expect(new Set(codes)).toEqual(new Set(['passed', 'PASSKEY_LIMIT']))
    expect(await codeOf(creationOptions(person))).toBe('PASSKEY_LIMIT')
  })

  it('serves 30 concurrent requests for options of one person', async () => {
    const person = await newcomer()
    await addPasskey(person)
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, turn) =>
        turn % 2
          ? person.client.call(passkeys.proveOptions, {})
          : person.client.call(passkeys.registerOptions, { body: {} }),
      ),
    )
    expect(new Set(all.map(({ body }) => body.challenge)).size).toBe(30)
  })

  it.each(['', '  ', 'x'.repeat(65), 'a\u007fb'])('rejects the name %j', async (name) => {
    const person = await newcomer()
    const credential = new SoftwareAuthenticator(PUBLIC_URL).create(await creationOptions(person))
    expect(await outcome(register(person, credential, name))).toBe('400 INVALID_INPUT name')
    expect(await listOf(person)).toEqual([])
  })
})

describe('fresh proof by passkey', () => {
  it('refuses the passkey of another account, and challenges of other people', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    const { authenticator: mine } = await addPasskey(person)
    const { authenticator: theirs } = await addPasskey(other)
    const { body: options } = await person.client.call(passkeys.proveOptions, {})
    const { body: foreign } = await other.client.call(passkeys.proveOptions, {})
    const prove = (credential: ReturnType<SoftwareAuthenticator['get']>) =>
      codeOf(person.client.call(passkeys.prove, { body: { credential } }))
    expect(await prove(theirs.get(options))).toBe('PASSKEY_INVALID')
    expect(await prove(mine.get(foreign))).toBe('PASSKEY_INVALID')
    expect(await prove(mine.get(options))).toBe('passed')
    expect(await prove(mine.get(options))).toBe('PASSKEY_INVALID')
  })

  it('belongs to one sign-in', async () => {
    const person = await newcomer()
    const { authenticator, id } = await addPasskey(person)
    const { token } = await signIn(server, authenticator)
    clock.advance(11 * MINUTE)
    const elsewhere = server.client(token)
    const { body: options } = await person.client.call(passkeys.proveOptions, {})
    await person.client.call(passkeys.prove, { body: { credential: authenticator.get(options) } })
    expect(await codeOf(elsewhere.call(passkeys.remove, { params: { id } }))).toBe('FRESH_PROOF_REQUIRED')
    expect(await codeOf(person.client.call(passkeys.remove, { params: { id } }))).toBe('passed')
  })

  it('answers 404 to people without a passkey', async () => {
    const person = await newcomer()
    expect(await codeOf(person.client.call(passkeys.proveOptions, {}))).toBe('NOT_FOUND')
  })
})

describe('one’s own passkeys', () => {
  it('renames a passkey of the caller only', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    const { id } = await addPasskey(person)
    const rename = (who: Person, name: string) =>
      codeOf(who.client.call(passkeys.rename, { params: { id }, body: { name } }))
    expect(await rename(other, 'theirs')).toBe('NOT_FOUND')
    expect(await rename(person, 'old laptop')).toBe('passed')
    expect((await listOf(person)).map(({ name }) => name)).toEqual(['old laptop'])
  })

  it('removes a passkey of the caller only, with a fresh proof', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    const { id, authenticator } = await addPasskey(person)
    const { authenticator: kept } = await addPasskey(person, undefined, 'kept')
    await addPasskey(other)
    const token = await pendingToken(server, person.username)
    expect(await codeOf(other.client.call(passkeys.remove, { params: { id } }))).toBe('NOT_FOUND')
    const { body } = await person.client.call(passkeys.remove, { params: { id } })
    expect(body).toEqual({
      rpId: 'bowline.example.com',
      userId: Buffer.from(person.id).toString('base64url'),
      allAcceptedCredentialIds: [kept.credentialId],
    })
    expect(await eventsOf(person)).toContainEqual({ kind: 'passkey.remove', details: { name: 'laptop' } })
    const mails = await mailsTo(server, `${person.username}@example.com`, 'notice')
    expect(mails.map(({ values }) => values.event).toSorted()).toEqual([
      'passkey-added',
      'passkey-added',
      'passkey-removed',
    ])
    expect(await codeOf(server.client().call(passkeys.signInOptions, { body: { token } }))).toBe('PASSKEY_REFUSED')
    expect(await codeOf(signIn(server, authenticator))).toBe('PASSKEY_REFUSED')
    clock.advance(11 * MINUTE)
    const [last] = await listOf(person)
    const params = { id: last?.id ?? '' }
    expect(await codeOf(person.client.call(passkeys.remove, { params }))).toBe('FRESH_PROOF_REQUIRED')
  })
})

describe('account without a password', () => {
  async function withTwo(): Promise<{ person: Person; one: SoftwareAuthenticator; id: string }> {
    const person = await newcomer()
    const { authenticator: one, id } = await addPasskey(person)
    await addPasskey(person, undefined, 'phone')
    return { person, one, id }
  }
  const againAs = async (person: Person, authenticator: SoftwareAuthenticator): Promise<Person> => {
    const { token } = await signIn(server, authenticator)
    return { ...person, client: server.client(token) }
  }

  it('loses its password only with two passkeys', async () => {
    const person = await newcomer()
    const removePassword = () => codeOf(person.client.call(passkeys.removePassword, {}))
    expect(await removePassword()).toBe('TOO_FEW_WAYS_IN')
    await addPasskey(person)
    expect(await removePassword()).toBe('TOO_FEW_WAYS_IN')
    await addPasskey(person)
    clock.advance(11 * MINUTE)
    expect(await removePassword()).toBe('FRESH_PROOF_REQUIRED')
  })

  it('ends every session, and no password signs in any more', async () => {
    const { person, one } = await withTwo()
    await person.client.call(passkeys.removePassword, {})
    expect(await codeOf(person.client.call(auth.getUser, {}))).toBe('UNAUTHORIZED')
    const login = { body: { username: person.username, password: PASSWORD } }
    expect(await codeOf(server.client().call(auth.login, login))).toBe('BAD_CREDENTIALS')
    const again = await againAs(person, one)
    expect((await eventsOf(again)).map(({ kind }) => kind)).toContain('password.remove')
  })

  it('keeps two ways in', async () => {
    const { person, one, id } = await withTwo()
    await person.client.call(passkeys.removePassword, {})
    const again = await againAs(person, one)
    expect(await codeOf(again.client.call(passkeys.remove, { params: { id } }))).toBe('TOO_FEW_WAYS_IN')
    expect(await listOf(again)).toHaveLength(2)
  })

  it('keeps two ways in when both are removed at once', async () => {
    const { person, one } = await withTwo()
    await addPasskey(person, undefined, 'third')
    await person.client.call(passkeys.removePassword, {})
    const again = await againAs(person, one)
    const all = await listOf(again)
    const codes = await Promise.all(all.map(({ id }) => codeOf(again.client.call(passkeys.remove, { params: { id } }))))
    expect(codes.sort()).toEqual(['TOO_FEW_WAYS_IN', 'TOO_FEW_WAYS_IN', 'passed'])
  })

  it('gets a password again by a fresh proof in which the user was verified', async () => {
    const { person, one } = await withTwo()
    const setPassword = (who: Person, password: string) =>
      outcome(who.client.call(passkeys.setPassword, { body: { password } }))
    expect(await setPassword(person, 'another-password')).toBe('409 PASSWORD_EXISTS')
    await person.client.call(passkeys.removePassword, {})
    const again = await againAs(person, one)
    clock.advance(11 * MINUTE)
    expect(await setPassword(again, 'another-password')).toBe('403 FRESH_PROOF_REQUIRED')
    const prove = async (but: Departures) => {
      const { body: options } = await again.client.call(passkeys.proveOptions, {})
      return codeOf(again.client.call(passkeys.prove, { body: { credential: one.get(options, but) } }))
    }
    expect(await prove({ userVerified: false })).toBe('PASSKEY_INVALID')
    expect(await prove({})).toBe('passed')
    expect(await setPassword(again, `${person.username}@example.com`)).toBe('400 INVALID_INPUT password')
    expect(await setPassword(again, 'another-password')).toBe('200')
    expect(await codeOf(again.client.call(auth.getUser, {}))).toBe('UNAUTHORIZED')
    const login = { body: { username: person.username, password: 'another-password' } }
    expect(await codeOf(server.client().call(auth.login, login))).toBe('MFA_REQUIRED')
  })

  it('refuses a password to an account that has neither password nor factor', async () => {
    const person = await newcomer()
    await server.database
      .system()
      .updateTable('users')
      .set({ password_hash: null })
      .where('id', '=', person.id)
      .execute()
    const call = person.client.call(passkeys.setPassword, { body: { password: 'another-password' } })
    expect(await codeOf(call)).toBe('FRESH_PROOF_REQUIRED')
  })
})
