// Registration over HTTP: proof of the address, races, and what strangers can learn.
import { operations } from '@bowline/contract/operations'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mailsTo } from '../mails/testing/outbox.ts'
import { type BootedServer, PASSWORD, type Person, bootServer, outcome } from '../testing/boot.ts'
import { inviteBy, inviteByMail, linkIn, newPerson, open, rawPost, unique } from './testing.ts'

const { users, auth, instance, members } = operations
let clock: ManualClock
let server: BootedServer
let ada: Person
beforeAll(async () => {
  clock = new ManualClock()
  const settings = { BOWLINE_EDITION: 'cloud', BOWLINE_TRUSTED_PROXIES: '127.0.0.1' }
  server = await bootServer({ clock, settings })
  ada = await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(() => clock.advance(3_600_000))

const register = (body: ReturnType<typeof newPerson>, on = server) => on.client().call(users.register, { body })
const signIn = (username: string, password = PASSWORD) =>
  outcome(server.client().call(auth.login, { body: { username, password } }))
const userRow = (email: string) =>
  server.database.system().selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()

describe('registration', () => {
  it('makes an account only when the link of the mail is opened, once', async () => {
    const person = newPerson()
    expect((await register(person)).body).toBeUndefined()
    expect(await userRow(person.email)).toBeUndefined()
    expect(await signIn(person.username)).toBe('403 EMAIL_UNCONFIRMED')
    expect(await signIn(person.username, 'wrong-password')).toBe('401 BAD_CREDENTIALS')
    const link = await linkIn(server, person.email, 'confirm')
    expect(link.pathname).toBe('/validation-account')
    expect(await outcome(open(server, link))).toBe('200')
    expect(await signIn(person.username)).toBe('200')
    expect(await outcome(open(server, link))).toBe('404 NOT_FOUND')
    expect(await userRow(person.email)).toMatchObject({ max_namespaces: 1, is_instance_admin: false })
  })

  it('stores no token in the clear', async () => {
    const person = newPerson()
    await register(person)
    const token = (await linkIn(server, person.email, 'confirm')).searchParams.get('token') ?? ''
    expect(Buffer.from(token, 'base64url').length).toBeGreaterThanOrEqual(16)
    const rows = await server.database.system().selectFrom('registrations').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  it('answers with a bare list of fields: 400 for invalid ones, 409 for a taken username', async () => {
    const invalid = newPerson('!', { name: 'x', email: 'none' })
    expect(await rawPost(server, '/api/register', invalid)).toEqual([400, '["name","email","username"]'])
    const taken = newPerson(unique(), { username: 'ADA' })
    expect(await rawPost(server, '/api/register', taken)).toEqual([409, '["username"]'])
  })

  it('rejects the username or the address as password', async () => {
    const username = unique()
    expect(await outcome(register(newPerson(username, { password: username })))).toBe('400 password')
  })

  it('ends with the day: the link and the name', async () => {
    const person = newPerson()
    await register(person)
    const link = await linkIn(server, person.email, 'confirm')
    clock.advance(86_400_000)
    expect(await outcome(open(server, link))).toBe('404 NOT_FOUND')
    clock.advance(600_000)
    const rows = server.database.system().selectFrom('registrations').where('email', '=', person.email).select('id')
    await expect.poll(async () => (await rows.execute()).length).toBe(0)
  })

  it('confirms nothing with the token of another address', async () => {
    const [one, other] = [newPerson(), newPerson()]
    await register(one)
    await register(other)
    const link = await linkIn(server, one.email, 'confirm')
    link.searchParams.set('email', other.email)
    expect(await outcome(open(server, link))).toBe('404 NOT_FOUND')
    link.searchParams.set('email', one.email)
    expect(await outcome(open(server, link))).toBe('200')
  })

  it('rotates the link when the mail is sent again', async () => {
    const person = newPerson()
    await register(person)
    const first = await linkIn(server, person.email, 'confirm')
    await server.client().call(users.resendEmail, { body: { username: person.username } })
    await expect.poll(async () => (await mailsTo(server, person.email, 'confirm')).length).toBe(2)
    const mails = await mailsTo(server, person.email, 'confirm')
    const second = mails.map(({ values }) => new URL(values.link)).find(({ href }) => href !== first.href)
    expect(await outcome(open(server, first))).toBe('404 NOT_FOUND')
    expect(await outcome(open(server, second ?? first))).toBe('200')
  })
})

describe('strangers who ask for the confirmation mail of others', () => {
  it('cannot end the link of the newest mail once no further mail is written', async () => {
    const person = newPerson()
    await register(person)
    for (let nth = 0; nth < 45; nth += 1) {
      await server.fetch('/api/user/resend_email', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.${113 + (nth % 5)}.${nth}` },
        body: JSON.stringify({ username: person.username }),
      })
    }
    const requests = server.database.system().selectFrom('mail_requests').select('id')
    await expect.poll(async () => (await requests.execute()).length).toBe(0)
    const links = (await mailsTo(server, person.email, 'confirm')).map(({ values }) => new URL(values.link))
    expect(links).toHaveLength(20)
    // The clock stands still: which mail is the newest does not show.
    const outcomes = await Promise.all(links.map((link) => outcome(open(server, link))))
    expect(outcomes.filter((answer) => answer === '200')).toHaveLength(1)
    expect(await signIn(person.username)).toBe('200')
  })
})

describe('races of registrations', () => {
  it('gives the address to the values of the mail whose link is opened', async () => {
    const [attacker, owner] = [newPerson(), newPerson()]
    const { email } = owner
    await register({ ...attacker, email, password: 'of-the-attacker' })
    clock.advance(1)
    await register(owner)
    const links = (await mailsTo(server, email, 'confirm')).map(({ values }) => values)
    expect(links).toHaveLength(2)
    const newest = await linkIn(server, email, 'confirm')
    await open(server, newest)
    expect(await signIn(attacker.username, 'of-the-attacker')).toBe('401 BAD_CREDENTIALS')
    expect((await userRow(email))?.username).toBe(owner.username)
    const other = links.map(({ link }) => new URL(link)).find(({ href }) => href !== newest.href)
    expect(await outcome(open(server, other ?? newest))).toBe('404 NOT_FOUND')
  })

  it.each([1, 2, 3])('makes one account of links with one address that are opened at once, round %i', async () => {
    const email = `${unique()}@example.com`
    for (let nth = 0; nth < 4; nth += 1) await register(newPerson(unique(), { email }))
    const links = (await mailsTo(server, email, 'confirm')).map(({ values }) => new URL(values.link))
    const outcomes = await Promise.all(links.map((link) => outcome(open(server, link))))
    expect(outcomes.toSorted()).toEqual(['200', ...Array.from({ length: 3 }, () => '404 NOT_FOUND')])
  })

  it('gives a username to the first whose address is proven, and tells the other', async () => {
    const one = newPerson()
    const other = newPerson(unique(), { username: one.username })
    await register(one)
    await register(other)
    await open(server, await linkIn(server, other.email, 'confirm'))
    expect(await outcome(open(server, await linkIn(server, one.email, 'confirm')))).toBe('409 CONFLICT username')
  })
})

describe('addresses that have an account', () => {
  const kinds = {
    unknown: () => `${unique()}@example.com`,
    known: () => 'ada@example.com',
    invited: async () => invited(),
  }
  async function invited(): Promise<string> {
    const email = `${unique()}@example.com`
    await inviteBy(ada, email)
    return email
  }

  it('answers a registration with an unknown, known or invited address byte for byte alike', async () => {
    const answers = []
    for (const address of Object.values(kinds)) {
      const person = newPerson(unique(), { email: await address(), password: 'of-a-stranger' })
      answers.push(await rawPost(server, '/api/register', person))
      // Each leaves one pending registration and one mail.
      const rows = server.database.system().selectFrom('registrations').select('id')
      expect(await rows.where('username', '=', person.username).execute()).toHaveLength(1)
      // Sign-in says no more.
      expect(await signIn(person.username, person.password)).toBe('403 EMAIL_UNCONFIRMED')
      expect(await signIn(person.email, person.password)).toBe('401 BAD_CREDENTIALS')
    }
    expect(answers).toEqual([
      [200, ''],
      [200, ''],
      [200, ''],
    ])
  })

  it('sends the mail of the first registration again, not that of a stranger who used the same names later', async () => {
    const person = newPerson()
    await register(person)
    clock.advance(60_000)
    await register({ ...person, password: 'of-a-stranger' })
    clock.advance(60_000)
    await server.client().call(users.resendEmail, { body: { username: person.username } })
    await expect.poll(async () => (await mailsTo(server, person.email, 'confirm')).length).toBe(3)
    const mails = await mailsTo(server, person.email, 'confirm')
    expect(mails.map(({ values }) => values.username)).toEqual([person.username, person.username, person.username])
    expect(mails[2]?.values.at).toBe(mails[0]?.values.at)
    expect(mails[1]?.values.at).not.toBe(mails[0]?.values.at)
    await open(server, await linkIn(server, person.email, 'confirm'))
    expect(await signIn(person.username, person.password)).toBe('200')
    const { body } = await server
      .client()
      .call(operations.auth.login, { body: { username: person.username, password: person.password } })
    expect(body.max_namespaces).toBe(1)
  })

  it('tells the owner of the address, and nothing can be confirmed', async () => {
    const before = await userRow('ada@example.com')
    await register(newPerson(unique(), { email: 'Ada@example.com', password: 'of-a-stranger' }))
    const mails = await mailsTo(server, 'ada@example.com', 'account-exists')
    expect(mails.at(-1)?.values.name).toBe('Ada Lovelace')
    expect(await mailsTo(server, 'ada@example.com', 'confirm')).toEqual([])
    expect(await userRow('ada@example.com')).toEqual(before)
  })

  it('answers mails that are asked for alike for known and unknown names', async () => {
    for (const [path, names] of [
      ['/api/user/recover_password', ['ada', 'ada@example.com', unique(), `${unique()}@example.com`]],
      ['/api/user/resend_email', ['ada', unique(), `${unique()}@example.com`]],
    ] as const) {
      for (const username of names) expect(await rawPost(server, path, { username })).toEqual([200, ''])
    }
  })
})

describe('invited placeholder claimed by plain registration', () => {
  it('puts no password on the row before the link of the mail is opened', async () => {
    const email = `${unique()}@example.com`
    const { user } = await inviteBy(ada, email)
    const attacker = newPerson(unique(), { email })
    for (const sig of [undefined, 'wrong', 'x'.repeat(43)]) {
      const body = sig === undefined ? attacker : { ...attacker, sig }
      expect(await rawPost(server, '/api/register', body)).toEqual([200, ''])
      expect(await userRow(email)).toMatchObject({ id: user, status: 'invited', password_hash: null, username: null })
    }
    await open(server, await linkIn(server, email, 'confirm'))
    expect(await userRow(email)).toMatchObject({ id: user, status: 'confirmed', username: attacker.username })
  })

  it('signs in whoever registers through the link, and does not make them a member yet', async () => {
    const person = newPerson()
    const { sig, user } = await inviteByMail(server, ada, person.email, 'operator')
    const { body } = await server.client().call(users.register, { body: { ...person, sig } })
    expect(body).toMatchObject({ id: user, user: person.username, tenant: '' })
    const client = server.client(body?.token ?? '')
    expect((await client.call(members.listInvites, {})).body).toMatchObject([
      { role: 'operator', inviter: 'Ada Lovelace' },
    ])
    expect(await outcome(client.call(members.acceptInvite, { params: { tenant: ada.tenant }, body: { sig } }))).toBe(
      '200',
    )
  })

  it('proves nothing by a link that the inviter has seen, where mail is sent', async () => {
    const person = newPerson()
    const { sig } = await inviteBy(ada, person.email)
    expect((await server.client().call(users.register, { body: { ...person, sig } })).body).toBeUndefined()
    expect(await userRow(person.email)).toMatchObject({ status: 'invited', password_hash: null })
    await open(server, await linkIn(server, person.email, 'confirm'))
    expect(await signIn(person.username)).toBe('200')
  })

  it('takes the secret of an invitation for its own address only', async () => {
    const { sig } = await inviteByMail(server, ada, `${unique()}@example.com`)
    const person = newPerson()
    const { body } = await server.client().call(users.register, { body: { ...person, sig } })
    expect(body).toBeUndefined()
    expect(await userRow(person.email)).toBeUndefined()
  })
})

describe('limits', () => {
  it('limits registrations with an address, and those of a source', async () => {
    const email = `${unique()}@example.com`
    const post = (from: string, body: object) =>
      server.fetch('/api/register', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
        body: JSON.stringify(body),
      })
    const statuses = async (calls: Promise<Response>[]) =>
      (await Promise.all(calls)).map(({ status }) => status).toSorted((a, b) => a - b)
    const sameAddress = Array.from({ length: 8 }, () => post('198.51.100.1', newPerson(unique(), { email })))
    expect(await statuses(sameAddress)).toEqual([200, 200, 200, 200, 200, 429, 429, 429])
    // Strangers have not used up what the owner of the address may ask for.
    expect(await statuses([post('198.51.100.2', newPerson(unique(), { email }))])).toEqual([200])
    const sameSource = Array.from({ length: 33 }, () => post('203.0.113.7', newPerson()))
    expect((await statuses(sameSource)).filter((status) => status === 429)).toHaveLength(3)
  })

  it('limits what the sources of one network cause together', async () => {
    const post = (nth: number) =>
      server.fetch('/api/user/recover_password', {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': `2001:db8:77:${nth.toString(16)}::1` },
        body: JSON.stringify({ username: `nobody-${nth}` }),
      })
    const statuses: number[] = []
    for (let nth = 0; nth < 104; nth += 1) statuses.push((await post(nth)).status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(4)
  })

  it('limits mails that are asked for by a name, whether or not it has an account', async () => {
    for (const username of ['ada', unique()]) {
      const calls = Array.from({ length: 7 }, () => rawPost(server, '/api/user/recover_password', { username }))
      const statuses = (await Promise.all(calls)).map(([status]) => status)
      expect(statuses.filter((status) => status === 429)).toHaveLength(2)
    }
  })
})

describe('who may register', () => {
  it.each([
    ['community', {}, 'closed'],
    ['cloud', {}, 'open'],
    ['community', { BOWLINE_REGISTRATION: 'invited' }, 'invited'],
    ['cloud', { BOWLINE_REGISTRATION: 'closed' }, 'closed'],
  ])('follows edition and setting: %s %o', async (edition, settings, mode) => {
    const other = await bootServer({ settings: { BOWLINE_EDITION: edition, ...settings } })
    try {
      const { body: info } = await other.client().call(instance.info, {})
      expect(info.registration).toBe(mode)
      const owner = await other.setUpAccount()
      const plain = await outcome(register(newPerson(), other))
      expect(plain).toBe(mode === 'open' ? '200' : '403 REGISTRATION_CLOSED')
      const person = newPerson()
      const invited = await inviteBy(owner, person.email).catch(() => undefined)
      expect(invited === undefined).toBe(mode === 'closed')
      if (!invited) return
      const { body } = await other.client().call(users.register, { body: { ...person, sig: invited.sig } })
      // Without mail the inviter vouches for the address.
      expect(body?.user).toBe(info.mail ? undefined : person.username)
    } finally {
      await other.close()
    }
  })

  it('confirms no address whose invitation was withdrawn meanwhile', async () => {
    const settings = { BOWLINE_EDITION: 'cloud', BOWLINE_REGISTRATION: 'invited' }
    const other = await bootServer({ settings })
    try {
      const owner = await other.setUpAccount()
      const [kept, withdrawn] = [newPerson(), newPerson()]
      for (const person of [kept, withdrawn]) {
        const { sig, user } = await inviteBy(owner, person.email)
        await other.client().call(users.register, { body: { ...person, sig } })
        const params = { tenant: owner.tenant, uid: user }
        if (person === withdrawn) await owner.client.call(members.remove, { params })
      }
      const opened = async ({ email }: typeof kept) => outcome(open(other, await linkIn(other, email, 'confirm')))
      expect(await opened(withdrawn)).toBe('403 REGISTRATION_CLOSED')
      expect(await opened(kept)).toBe('200')
      const body = { username: withdrawn.username, password: PASSWORD }
      expect(await outcome(other.client().call(auth.login, { body }))).toMatch(/^40[13] /)
    } finally {
      await other.close()
    }
  })
})
