// Sign-in with passkeys over HTTP, by a software authenticator.
import { operations } from '@bowline/contract/operations'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BootedServer, PASSWORD, type Person, bootServer } from '../testing/boot.ts'
import { type Algorithm, type Departures, SoftwareAuthenticator } from './testing/authenticator.ts'
import { PUBLIC_URL, addPasskey, codeOf, pendingToken, requestOptions, signIn } from './testing/people.ts'

const { passkeys, auth } = operations
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
const user = (person: Person) => server.database.system().selectFrom('users').selectAll().where('id', '=', person.id)
const setStatus = (person: Person, status: 'confirmed' | 'not-confirmed') =>
  server.database.system().updateTable('users').set({ status }).where('id', '=', person.id).execute()
const rowOf = (id: string) =>
  server.database.system().selectFrom('passkeys').selectAll().where('id', '=', id).executeTakeFirstOrThrow()

describe('sign-in with a passkey alone', () => {
  it.each<Algorithm>(['ES256', 'EdDSA', 'RS256'])('accepts a signature by %s', async (algorithm) => {
    const person = await newcomer()
    const { authenticator, id } = await addPasskey(person, new SoftwareAuthenticator(PUBLIC_URL, { algorithm }))
    clock.advance(MINUTE)
    const signedIn = await signIn(server, authenticator)
    expect(signedIn).toMatchObject({ id: person.id, user: person.username, tenant: person.tenant, mfa: true })
    const { body } = await server.client(signedIn.token).call(auth.getUser, {})
    expect(body.id).toBe(person.id)
    expect((await rowOf(id)).last_used_at).toEqual(new Date(clock.now()))
  })

  it('asks for a discoverable passkey that verifies its user', async () => {
    expect(await requestOptions(server)).toMatchObject({
      rpId: 'bowline.example.com',
      userVerification: 'required',
      allowCredentials: [],
    })
  })

  it('starts a browser session with a refresh cookie', async () => {
    const { authenticator } = await addPasskey(await newcomer())
    const answer = await server.fetch(passkeys.createSession.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.origin, 'sec-fetch-site': 'same-origin' },
      body: JSON.stringify({ credential: authenticator.get(await requestOptions(server)) }),
    })
    expect(answer.status).toBe(200)
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    expect(cookie).toMatch(/^bowline=[\w-]{43}$/)
    const refreshed = await server.fetch(auth.refreshSession.path, { method: 'POST', headers: { cookie } })
    expect(refreshed.status).toBe(200)
  })

  it('refuses a browser session to pages of other sites, and leaves the challenge unused', async () => {
    const { authenticator } = await addPasskey(await newcomer())
    const credential = authenticator.get(await requestOptions(server))
    const answer = await server.fetch(passkeys.createSession.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' },
      body: JSON.stringify({ credential }),
    })
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([403, null])
    expect(await codeOf(server.client().call(passkeys.login, { body: { credential } }))).toBe('passed')
  })

  it('is refused to a disabled account like an unknown passkey, also as a second step, and works once it is enabled', async () => {
    const person = await newcomer()
    const { authenticator } = await addPasskey(person)
    clock.advance(MINUTE)
    const pending = await pendingToken(server, person.username)
    const [alone, second] = [
      authenticator.get(await requestOptions(server)),
      authenticator.get(await requestOptions(server, pending)),
    ]
    const set = (status: 'disabled' | 'confirmed') =>
      server.database
        .system()
        .updateTable('users')
        .set({ status, disabled_at: status === 'disabled' ? new Date() : null })
        .where('id', '=', person.id)
        .execute()
    await set('disabled')
    const login = (body: object) => codeOf(server.client().call(passkeys.login, { body: body as never }))
    expect(await login({ credential: alone })).toBe('PASSKEY_REFUSED')
    expect(await login({ token: pending, credential: second })).toBe('PASSKEY_REFUSED')
    await set('confirmed')
    expect(await codeOf(signIn(server, authenticator))).toBe('passed')
  })

  it('is refused where people sign in through the identity provider only', async () => {
    const { authenticator } = await addPasskey(await newcomer())
    const set = (local: boolean) => server.database.system().updateTable('sign_in_settings').set({ local }).execute()
    const credential = authenticator.get(await requestOptions(server))
    await set(false)
    const refused = server.client().call(passkeys.login, { body: { credential } })
    await expect(refused).rejects.toMatchObject({ code: 'LOCAL_SIGN_IN_DISABLED' })
    await set(true)
    expect(await codeOf(server.client().call(passkeys.login, { body: { credential } }))).toBe('passed')
  })

  it('counts as a fresh proof', async () => {
    const { authenticator, id } = await addPasskey(await newcomer())
    const { token } = await signIn(server, authenticator)
    expect(await codeOf(server.client(token).call(passkeys.remove, { params: { id } }))).toBe('passed')
  })

  it.each<[string, Departures]>([
    ['another origin', { origin: 'https://evil.example.com' }],
    ['the same host at another port', { origin: `${PUBLIC_URL}:8443` }],
    ['the same host without TLS', { origin: 'http://bowline.example.com' }],
    ['another relying party', { rpId: 'example.com' }],
    ['a user that was not verified', { userVerified: false }],
    ['the type of a registration', { type: 'webauthn.create' }],
    ['a challenge that the server never made', { challenge: Buffer.alloc(54, 7).toString('base64url') }],
    ['an empty challenge', { challenge: '' }],
    ['the handle of another account', { userHandle: Buffer.from('0'.repeat(24)).toString('base64url') }],
    ['no handle', { userHandle: null }],
  ])('refuses %s', async (_, but) => {
    const { authenticator } = await addPasskey(await newcomer())
    expect(await codeOf(signIn(server, authenticator, but))).toBe('PASSKEY_REFUSED')
    expect(await codeOf(signIn(server, authenticator))).toBe('passed')
  })

  it('refuses the signature of another key', async () => {
    const { authenticator } = await addPasskey(await newcomer())
    const options = await requestOptions(server)
    const forged = new SoftwareAuthenticator(PUBLIC_URL).get(options)
    const real = authenticator.get(options)
    const credential = { ...real, response: { ...real.response, signature: forged.response.signature } }
    expect(await codeOf(server.client().call(passkeys.login, { body: { credential } }))).toBe('PASSKEY_REFUSED')
  })

  it('answers alike for unknown passkeys and wrong signatures', async () => {
    const person = await newcomer()
    const { authenticator } = await addPasskey(person)
    const stranger = new SoftwareAuthenticator(PUBLIC_URL)
    const userHandle = Buffer.from(person.id).toString('base64url')
    const answers = []
    for (const [one, but] of [
      [authenticator, { rpId: 'x' }],
      [stranger, { userHandle }],
    ] as const) {
      const credential = one.get(await requestOptions(server), but)
      const answer = await server.fetch(passkeys.login.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ credential }),
      })
      answers.push([answer.status, await answer.text()])
    }
    expect(answers[0]?.[0]).toBe(401)
    expect(answers[1]).toEqual(answers[0])
  })

  it('refuses a challenge that has expired, and takes it a moment before', async () => {
    const { authenticator } = await addPasskey(await newcomer())
    const [early, late] = [await requestOptions(server), await requestOptions(server)]
    clock.advance(5 * MINUTE - 1)
    const call = (options: typeof early) =>
      codeOf(server.client().call(passkeys.login, { body: { credential: authenticator.get(options) } }))
    expect(await call(early)).toBe('passed')
    clock.advance(1)
    expect(await call(late)).toBe('PASSKEY_REFUSED')
  })

  it('accepts a challenge once, also of concurrent calls', async () => {
    const { authenticator } = await addPasskey(await newcomer())
    const options = await requestOptions(server)
    const credentials = Array.from({ length: 20 }, () => authenticator.get(options))
    const codes = await Promise.all(
      credentials.map((credential) => codeOf(server.client().call(passkeys.login, { body: { credential } }))),
    )
    expect(codes.filter((code) => code === 'passed')).toHaveLength(1)
    expect(new Set(codes)).toEqual(new Set(['passed', 'PASSKEY_REFUSED']))
  })

  it('refuses a challenge in another spelling of base64url after its use', async () => {
    const { authenticator } = await addPasskey(await newcomer())
    const options = await requestOptions(server)
    const credential = authenticator.get(options)
    await server.client().call(passkeys.login, { body: { credential } })
    for (const challenge of [`${options.challenge}=`, `${options.challenge}A`, ` ${options.challenge}`]) {
      const again = authenticator.get(options, { challenge })
      expect(await codeOf(server.client().call(passkeys.login, { body: { credential: again } }))).toBe(
        'PASSKEY_REFUSED',
      )
    }
  })

  it('refuses a removed passkey', async () => {
    const person = await newcomer()
    const { authenticator, id } = await addPasskey(person)
    await person.client.call(passkeys.remove, { params: { id } })
    expect(await codeOf(signIn(server, authenticator))).toBe('PASSKEY_REFUSED')
  })

  it('refuses the passkey of a deleted account', async () => {
    const person = await newcomer()
    const { authenticator } = await addPasskey(person)
    const options = await requestOptions(server)
    const db = server.database.system()
    await db.deleteFrom('namespaces').where('owner', '=', person.id).execute()
    await db.deleteFrom('users').where('id', '=', person.id).execute()
    const credential = authenticator.get(options)
    expect(await codeOf(server.client().call(passkeys.login, { body: { credential } }))).toBe('PASSKEY_REFUSED')
  })

  it('tells only the holder of a passkey that the address is unconfirmed', async () => {
    const person = await newcomer()
    const { authenticator } = await addPasskey(person)
    await setStatus(person, 'not-confirmed')
    expect(await codeOf(signIn(server, authenticator))).toBe('EMAIL_UNCONFIRMED')
    expect(await codeOf(signIn(server, authenticator, { rpId: 'x' }))).toBe('PASSKEY_REFUSED')
    await setStatus(person, 'confirmed')
    expect(await codeOf(signIn(server, authenticator))).toBe('passed')
  })

  it('limits calls per source, and serves again later', async () => {
    const codes = await Promise.all(
      Array.from({ length: 130 }, () => codeOf(server.client().call(passkeys.signInOptions, { body: {} }))),
    )
    expect(new Set(codes)).toEqual(new Set(['passed', 'TOO_MANY_REQUESTS']))
    clock.advance(MINUTE)
    expect(await codeOf(requestOptions(server))).toBe('passed')
  })

  it('stores nothing for strangers', async () => {
    const rows = () =>
      server.database
        .system()
        .selectFrom('used_challenges')
        .select('hash')
        .execute()
        .then((all) => all.length)
    const before = await rows()
    for (let turn = 0; turn < 20; turn += 1) {
      const stranger = new SoftwareAuthenticator(PUBLIC_URL)
      expect(await codeOf(signIn(server, stranger, { userHandle: null }))).toBe('PASSKEY_REFUSED')
    }
    expect(await rows()).toBe(before)
  })
})

describe('sign counter', () => {
  const countersOf = (person: Person) =>
    server.database
      .system()
      .selectFrom('account_events')
      .select('details')
      .where('user_id', '=', person.id)
      .where('kind', '=', 'passkey.counter')
      .execute()

  it('notes a counter that goes backwards as an event of the account, and signs in', async () => {
    const person = await newcomer()
    const { authenticator, id } = await addPasskey(person)
    await signIn(server, authenticator, { signCount: 9 })
    expect(await countersOf(person)).toEqual([])
    await signIn(server, authenticator, { signCount: 5 })
    expect(await countersOf(person)).toEqual([{ details: { name: 'laptop', before: 9, after: 5 } }])
    expect((await rowOf(id)).sign_count).toBe(9)
  })

  it('ignores the counter of backed-up passkeys, and one that stays at zero', async () => {
    const person = await newcomer()
    const { authenticator: synced } = await addPasskey(
      person,
      new SoftwareAuthenticator(PUBLIC_URL, { isBackedUp: true }),
    )
    const { authenticator: plain } = await addPasskey(person)
    await signIn(server, synced, { signCount: 9 })
    await signIn(server, synced, { signCount: 5 })
    await signIn(server, plain, { signCount: 0 })
    await signIn(server, plain, { signCount: 0 })
    expect(await countersOf(person)).toEqual([])
  })
})

describe('passkey as the second factor', () => {
  const finish = (token: string, authenticator: SoftwareAuthenticator, but?: Departures) =>
    requestOptions(server, token).then((options) =>
      server.client().call(passkeys.login, { body: { token, credential: authenticator.get(options, but) } }),
    )

  it('finishes a sign-in by password', async () => {
    const person = await newcomer()
    const { authenticator } = await addPasskey(person)
    const token = await pendingToken(server, person.username)
    expect(await requestOptions(server, token)).toMatchObject({
      userVerification: 'preferred',
      allowCredentials: [{ id: authenticator.credentialId, type: 'public-key', transports: ['internal'] }],
    })
    const { body } = await finish(token, authenticator, { userVerified: false, userHandle: null })
    expect(body.id).toBe(person.id)
    expect(await codeOf(finish(token, authenticator))).toBe('PASSKEY_REFUSED')
  })

  it('finishes one of concurrent calls', async () => {
    const person = await newcomer()
    const { authenticator } = await addPasskey(person)
    const token = await pendingToken(server, person.username)
    const all = await Promise.all(Array.from({ length: 10 }, () => requestOptions(server, token)))
    const codes = await Promise.all(
      all.map((options) =>
        codeOf(server.client().call(passkeys.login, { body: { token, credential: authenticator.get(options) } })),
      ),
    )
    expect(codes.filter((code) => code === 'passed')).toHaveLength(1)
  })

  it('refuses the passkey of another account', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    await addPasskey(person)
    const { authenticator } = await addPasskey(other)
    const token = await pendingToken(server, person.username)
    expect(await codeOf(finish(token, authenticator))).toBe('PASSKEY_REFUSED')
  })

  it('keeps challenges of other purposes and other sign-ins apart', async () => {
    const person = await newcomer()
    const { authenticator } = await addPasskey(person)
    const [token, second] = [await pendingToken(server, person.username), await pendingToken(server, person.username)]
    const client = server.client((await signIn(server, authenticator)).token)
    const { body: prove } = await client.call(passkeys.proveOptions, {})
    const { body: create } = await client.call(passkeys.registerOptions, { body: {} })
    for (const options of [
      await requestOptions(server),
      await requestOptions(server, second),
      prove,
      { ...prove, challenge: create.challenge },
    ]) {
      const credential = authenticator.get(options)
      expect(await codeOf(server.client().call(passkeys.login, { body: { token, credential } }))).toBe(
        'PASSKEY_REFUSED',
      )
    }
    for (const options of [await requestOptions(server, token), prove]) {
      const credential = authenticator.get(options)
      expect(await codeOf(server.client().call(passkeys.login, { body: { credential } }))).toBe('PASSKEY_REFUSED')
    }
    expect(await codeOf(finish(token, authenticator))).toBe('passed')
  })

  it('refuses a token that is unknown, expired, or older than a change of the factors', async () => {
    const person = await newcomer()
    const { authenticator } = await addPasskey(person)
    expect(await codeOf(requestOptions(server, 'unknown'))).toBe('PASSKEY_REFUSED')
    const [expired, older] = [await pendingToken(server, person.username), await pendingToken(server, person.username)]
    const client = server.client((await signIn(server, authenticator)).token)
    const { body: create } = await client.call(passkeys.registerOptions, { body: {} })
    const credential = new SoftwareAuthenticator(PUBLIC_URL).create(create)
    await client.call(passkeys.register, { body: { name: 'phone', credential } })
    expect(await codeOf(requestOptions(server, older))).toBe('PASSKEY_REFUSED')
    const fresh = await pendingToken(server, person.username)
    expect(await codeOf(requestOptions(server, fresh))).toBe('passed')
    clock.advance(31 * MINUTE)
    expect(await codeOf(requestOptions(server, fresh))).toBe('PASSKEY_REFUSED')
    expect(await codeOf(requestOptions(server, expired))).toBe('PASSKEY_REFUSED')
  })

  it('asks for no second factor any more after the last passkey is gone', async () => {
    const person = await newcomer()
    const { id } = await addPasskey(person)
    expect((await user(person).executeTakeFirstOrThrow()).mfa_enabled).toBe(true)
    await person.client.call(passkeys.remove, { params: { id } })
    expect((await user(person).executeTakeFirstOrThrow()).mfa_enabled).toBe(false)
    const login = { body: { username: person.username, password: PASSWORD } }
    expect(await codeOf(server.client().call(auth.login, login))).toBe('passed')
  })
})
