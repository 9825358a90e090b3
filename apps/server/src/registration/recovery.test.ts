// Recovery of passwords, changes of address and the deletion of one's own account, over HTTP.
import { request } from 'node:http'
import { operations } from '@bowline/contract/operations'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { asOwner } from '../db/owner-session.ts'
import { mailsTo } from '../mails/testing/outbox.ts'
import { type BootedServer, PASSWORD, type Person, bootServer, outcome } from '../testing/boot.ts'
import { inviteBy, linkIn, newPerson, open, unique } from './testing.ts'

const { users, auth } = operations
const NEW = 'another-password'
let clock: ManualClock
let server: BootedServer
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({
    clock,
    settings: {
      BOWLINE_EDITION: 'cloud',
      BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1',
      BOWLINE_TRUSTED_PROXIES: '127.0.0.1',
    },
  })
  await server.setUpAccount()
})
afterAll(() => server.close())
// Refills the rate limit of sign-ins.
beforeEach(() => clock.advance(10_000))

const newcomer = () => server.addPerson(unique())
const emailOf = ({ username }: Person) => `${username}@example.com`
const signIn = (username: string, password: string) =>
  outcome(server.client().call(auth.login, { body: { username, password } }))

/** Asks for a recovery. @returns id and token of its link */
async function recover(person: Person, name = person.username): Promise<{ uid: string; token: string }> {
  const before = (await mailsTo(server, emailOf(person), 'recover')).length
  clock.advance(1)
  await server.client().call(users.recoverPassword, { body: { username: name } })
  await expect.poll(async () => (await mailsTo(server, emailOf(person), 'recover')).length).toBe(before + 1)
  const { pathname, searchParams } = await linkIn(server, emailOf(person), 'recover')
  expect(pathname).toBe('/update-password')
  return { uid: searchParams.get('id') ?? '', token: searchParams.get('token') ?? '' }
}
const reset = ({ uid, token }: { uid: string; token: string }, password = NEW) =>
  outcome(server.client().call(users.resetPassword, { params: { uid }, body: { token, password } }))

describe('recovery of a password', () => {
  it.each(['username', 'address'])('sets a new password by the link, once: asked for by %s', async (by) => {
    const person = await newcomer()
    const link = await recover(person, by === 'username' ? person.username : emailOf(person).toUpperCase())
    expect(await reset(link)).toBe('200')
    expect([await signIn(person.username, PASSWORD), await signIn(person.username, NEW)]).toEqual([
      '401 BAD_CREDENTIALS',
      '200',
    ])
    expect(await reset(link, 'yet-another-one')).toBe('404 NOT_FOUND')
  })

  it('ends every session, and tells the owner', async () => {
    const person = await newcomer()
    expect(await reset(await recover(person))).toBe('200')
    expect(await outcome(person.client.call(auth.getUser, {}))).toBe('401 UNAUTHORIZED')
    const [notice] = await mailsTo(server, emailOf(person), 'notice')
    expect(notice?.values).toMatchObject({ event: 'password-changed', source: '127.0.0.1' })
  })

  it('ends sign-ins that wait for a second factor and keeps the factor', async () => {
    const person = await newcomer()
    const db = server.database.system()
    await db.updateTable('users').set({ mfa_enabled: true }).where('id', '=', person.id).execute()
    expect(await signIn(person.username, PASSWORD)).toBe('401 MFA_REQUIRED')
    expect(await reset(await recover(person))).toBe('200')
    expect(await signIn(person.username, NEW)).toBe('401 MFA_REQUIRED')
    const waiting = await db
      .selectFrom('pending_sign_ins')
      .select('token_epoch')
      .where('user_id', '=', person.id)
      .execute()
    const { token_epoch: epoch } = await db
      .selectFrom('users')
      .select('token_epoch')
      .where('id', '=', person.id)
      .executeTakeFirstOrThrow()
    expect(waiting.filter(({ token_epoch: of }) => of === epoch)).toHaveLength(1)
  })

  it('keeps the link of the owner when somebody else asks for one, and ends all once one is used', async () => {
    const person = await newcomer()
    const [own, another] = [await recover(person), await recover(person)]
    for (let nth = 0; nth < 40; nth += 1) {
      const address = { 'x-forwarded-for': `203.0.${113 + (nth % 4)}.${nth}` }
      await server.fetch('/api/user/recover_password', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...address },
        body: JSON.stringify({ username: person.username }),
      })
    }
    const requests = server.database.system().selectFrom('mail_requests').select('id')
    await expect.poll(async () => (await requests.execute()).length).toBe(0)
    const tokens = server.database.system().selectFrom('recovery_tokens').where('user_id', '=', person.id)
    // As many as mails: the owner's two, and what strangers may ask for in an hour.
    expect(await tokens.select('token_hash').execute()).toHaveLength(22)
    expect(await reset(own)).toBe('200')
    expect(await reset(another)).toBe('404 NOT_FOUND')
    expect(await tokens.select('token_hash').execute()).toEqual([])
  })

  it('refuses tokens that are expired, of another account or ended by a new password', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    const second = await recover(person)
    expect(await reset({ ...second, uid: other.id })).toBe('404 NOT_FOUND')
    expect(await reset({ ...second, token: 'guessed' })).toBe('404 NOT_FOUND')
    await person.client.call(users.update, { body: { password: 'mine-again', current_password: PASSWORD } })
    expect(await reset(second)).toBe('404 NOT_FOUND')
    const third = await recover(other)
    clock.advance(3_600_000)
    expect(await reset(third)).toBe('404 NOT_FOUND')
    expect(await signIn(other.username, PASSWORD)).toBe('200')
  })

  it('lets one of concurrent uses of a link pass', async () => {
    const link = await recover(await newcomer())
    const outcomes = await Promise.all(Array.from({ length: 6 }, (_, i) => reset(link, `password-${i}`)))
    expect(outcomes.filter((answer) => answer === '200')).toHaveLength(1)
  })

  it('keeps the link after a password that the rules refuse', async () => {
    const person = await newcomer()
    const link = await recover(person)
    expect(await reset(link, person.username)).toBe('400 INVALID_INPUT password')
    expect(await reset(link)).toBe('200')
  })

  it('sends nothing to placeholders and to people who sign in by SAML only', async () => {
    const person = await newcomer()
    const db = server.database.system()
    await db
      .updateTable('users')
      .set({ auth_methods: ['saml'] })
      .where('id', '=', person.id)
      .execute()
    const other = await newcomer()
    await server.client().call(users.recoverPassword, { body: { username: person.username } })
    // The later request has been fulfilled, and so has the earlier one.
    await recover(other)
    expect(await mailsTo(server, emailOf(person), 'recover')).toEqual([])
  })
})

describe('change of address', () => {
  const change = (person: Person, email: string) =>
    person.client.call(users.update, { body: { email, current_password: PASSWORD } })
  const self = async (person: Person) => (await person.client.call(auth.getUser, {})).body

  it('replaces the address when the link is opened, and tells the earlier one', async () => {
    const person = await newcomer()
    const email = `new-${unique()}@example.com`
    await change(person, email)
    expect(await self(person)).toMatchObject({ email: emailOf(person), pending_email: email })
    const link = await linkIn(server, email, 'confirm-address')
    expect(await outcome(open(server, link))).toBe('200')
    expect(await self(person)).toMatchObject({ email, pending_email: '' })
    const [notice] = await mailsTo(server, emailOf(person), 'notice')
    expect(notice?.values).toMatchObject({ event: 'address-changed', subject: email })
    expect(await outcome(open(server, link))).toBe('404 NOT_FOUND')
  })

  it('discloses nothing about an address that has an account, and tells its owner', async () => {
    const [person, other] = [await newcomer(), await newcomer()]
    expect(await outcome(change(person, emailOf(other)))).toBe('200')
    expect(await mailsTo(server, emailOf(other), 'account-exists')).toHaveLength(1)
    expect(await mailsTo(server, emailOf(other), 'confirm-address')).toEqual([])
  })

  it('ends the link with the next one, a new password, and a day', async () => {
    const person = await newcomer()
    const [first, second, third] = [1, 2, 3].map((i) => `${i}-${unique()}@example.com`) as [string, string, string]
    await change(person, first)
    await change(person, second)
    expect(await outcome(open(server, await linkIn(server, first, 'confirm-address')))).toBe('404 NOT_FOUND')
    await person.client.call(users.update, { body: { password: NEW, current_password: PASSWORD } })
    expect(await outcome(open(server, await linkIn(server, second, 'confirm-address')))).toBe('404 NOT_FOUND')
    const other = await newcomer()
    await change(other, third)
    clock.advance(86_400_000)
    expect(await outcome(open(server, await linkIn(server, third, 'confirm-address')))).toBe('404 NOT_FOUND')
    clock.advance(600_000)
    const row = server.database.system().selectFrom('users').select('pending_email').where('id', '=', other.id)
    await expect.poll(async () => (await row.executeTakeFirst())?.pending_email).toBeNull()
  })

  it('limits the mails that somebody can cause', async () => {
    const person = await newcomer()
    const outcomes = []
    for (let i = 0; i < 7; i += 1) outcomes.push(await outcome(change(person, `${unique()}@example.com`)))
    expect(outcomes.filter((answer) => answer === '429 TOO_MANY_REQUESTS')).toHaveLength(2)
  })
})

describe('mails that strangers ask for', () => {
  const ask = (username: string, from: string) =>
    server.fetch('/api/user/recover_password', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
      body: JSON.stringify({ username }),
    })

  it('do not use up those of the owner, who has signed in from there before', async () => {
    const person = await newcomer()
    await signIn(person.username, PASSWORD)
    const mails = () => mailsTo(server, emailOf(person), 'recover')
    for (let nth = 0; nth < 25; nth += 1) await ask(person.username, `203.0.${nth}.1`)
    await expect.poll(async () => (await mails()).length).toBe(20)
    expect((await ask(person.username, '127.0.0.1')).status).toBe(200)
    await expect.poll(async () => (await mails()).length).toBe(21)
  })
})

describe('change to an address that was invited', () => {
  const { members } = operations
  const move = async (person: Person, email: string) => {
    await person.client.call(users.update, { body: { email, current_password: PASSWORD } })
    return open(server, await linkIn(server, email, 'confirm-address'))
  }
  const membersOf = async ({ client, tenant }: Person) => {
    const { body } = await client.call(operations.namespaces.get, { params: { tenant } })
    return Object.fromEntries(body.members.map(({ id, role, status }) => [id, `${role} ${status}`]))
  }

  it('gives the account the invitations of the address', async () => {
    const [owner, person] = [await newcomer(), await newcomer()]
    const email = `${unique()}@example.com`
    const { sig, user } = await inviteBy(owner, email, 'operator')
    await move(person, email)
    const { body: found } = await server
      .client()
      .call(members.inviteStatus, { params: { tenant: owner.tenant, id: user }, query: { sig } })
    expect(found).toMatchObject({ status: 'confirmed' })
    const { body: invitations } = await person.client.call(members.listInvites, {})
    expect(invitations).toMatchObject([{ tenant_id: owner.tenant, role: 'operator' }])
    await person.client.call(members.acceptInvite, { params: { tenant: owner.tenant }, body: { sig } })
    expect(await membersOf(owner)).toEqual({ [owner.id]: 'owner accepted', [person.id]: 'operator accepted' })
  })

  it('keeps the membership of an account that is in the namespace already', async () => {
    const [owner, person] = [await newcomer(), await newcomer()]
    await server.addMember(owner.tenant, person.id, 'observer')
    const email = `${unique()}@example.com`
    await inviteBy(owner, email, 'administrator')
    await move(person, email)
    expect(await membersOf(owner)).toEqual({ [owner.id]: 'owner accepted', [person.id]: 'observer accepted' })
  })
})

describe('deletion of one’s own account', () => {
  /** Somebody who owns no namespace. */
  async function withoutNamespace() {
    const person = newPerson()
    await server.client().call(users.register, { body: person })
    await open(server, await linkIn(server, person.email, 'confirm'))
    const { body } = await server.client().call(auth.login, { body: { username: person.username, password: PASSWORD } })
    return { ...person, id: body.id, client: server.client(body.token) }
  }

  it('ends the account with its sessions and memberships', async () => {
    const [owner, person] = [await newcomer(), await withoutNamespace()]
    await server.addMember(owner.tenant, person.id as Person['id'], 'observer')
    expect(await outcome(person.client.call(users.remove, {}))).toBe('200')
    expect(await outcome(person.client.call(auth.getUser, {}))).toBe('401 UNAUTHORIZED')
    expect(await signIn(person.username, PASSWORD)).toBe('401 BAD_CREDENTIALS')
    const { body } = await owner.client.call(operations.namespaces.get, { params: { tenant: owner.tenant } })
    expect(body.members).toHaveLength(1)
  })

  it('tells listeners of the namespaces that were left', async () => {
    const [owner, person] = [await newcomer(), await withoutNamespace()]
    await server.addMember(owner.tenant, person.id as Person['id'], 'observer')
    const stream = await owner.client.open(operations.events.stream, {})
    await person.client.call(users.remove, {})
    let heard = ''
    const decoder = new TextDecoder()
    for await (const bytes of stream.body ?? []) {
      heard += decoder.decode(bytes, { stream: true })
      if (/^event: ?member\.removed[^]*?\n\n/m.test(heard)) break
    }
    expect(heard).toContain(`"id":"${person.id}"`)
  })

  it('refuses owners of namespaces and names what they own', async () => {
    const person = await newcomer()
    await expect(person.client.call(users.remove, {})).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining(person.namespace) as string,
    })
  })

  it('refuses the only administrator of the server, until there is another', async () => {
    const [first, second] = [await withoutNamespace(), await withoutNamespace()]
    const accounts = server.database.system()
    const before = await accounts.selectFrom('users').select('id').where('is_instance_admin', '=', true).execute()
    const among = (ids: readonly { id: string }[]) => ids.map(({ id }) => id as Person['id'])
    const set = (ids: readonly { id: string }[], isAdmin: boolean) =>
      ids.length > 0 &&
      accounts.updateTable('users').set({ is_instance_admin: isAdmin }).where('id', 'in', among(ids)).execute()
    await set(before, false)
    onTestFinished(() => void set(before, true))
    await set([first], true)
    expect(await outcome(first.client.call(users.remove, {}))).toBe('409 LAST_ADMINISTRATOR')
    await set([second], true)
    const both = [first, second].map(({ client }) => outcome(client.call(users.remove, {})))
    expect((await Promise.all(both)).toSorted()).toEqual(['200', '409 LAST_ADMINISTRATOR'])
  })

  it('takes longer than other statements may, where the person had deleted a large namespace', async () => {
    const person = await newcomer()
    await person.client.call(operations.namespaces.remove, { params: { tenant: person.tenant } })
    const allowed = await asOwner(server.owner, async (owner) => {
      await owner.query(`
        create table allowed (times text);
        create function note_allowed() returns trigger language plpgsql security definer as $$
          begin insert into allowed values (current_setting('statement_timeout')); return old; end $$;
        create trigger note_allowed before delete on namespaces for each row execute function note_allowed()`)
      const { body } = await server
        .client()
        .call(auth.login, { body: { username: person.username, password: PASSWORD } })
      await server.client(body.token).call(users.remove, {})
      const { rows } = await owner.query<{ times: string }>('select times from allowed')
      await owner.query('drop trigger note_allowed on namespaces; drop function note_allowed; drop table allowed')
      return rows
    })
    expect(allowed).toEqual([{ times: '1h' }])
  })

  it('asks people without a second factor for their password when their sign-in is old', async () => {
    const person = await withoutNamespace()
    const signIns = server.database.system().updateTable('sign_ins')
    await signIns
      .set({ created_at: new Date(0) })
      .where('user_id', '=', person.id as Person['id'])
      .execute()
    expect(await outcome(person.client.call(users.remove, {}))).toBe('403 FRESH_PROOF_REQUIRED')
    await person.client.call(operations.mfa.prove, { body: { current_password: PASSWORD } })
    expect(await outcome(person.client.call(users.remove, {}))).toBe('200')
  })

  it('asks people with a second factor to have used it lately', async () => {
    const person = await withoutNamespace()
    const db = server.database.system()
    await db.updateTable('users').set({ mfa_enabled: true }).where('email', '=', person.email).execute()
    expect(await outcome(person.client.call(users.remove, {}))).toBe('403 FRESH_PROOF_REQUIRED')
  })

  it('asks people without a second factor for their password unless they have just signed in', async () => {
    const person = await withoutNamespace()
    clock.advance(11 * 60_000)
    expect(await outcome(person.client.call(users.remove, {}))).toBe('403 FRESH_PROOF_REQUIRED')
    await person.client.call(operations.mfa.prove, { body: { current_password: PASSWORD } })
    expect(await outcome(person.client.call(users.remove, {}))).toBe('200')
  })
})

describe('poisoned hosts', () => {
  it.each(['Host', 'X-Forwarded-Host', 'Forwarded', 'X-Original-Host'])(
    'links from the settings only, whatever the request says: %s',
    async (header) => {
      const settings = {
        BOWLINE_EDITION: 'cloud',
        BOWLINE_PUBLIC_URL: 'https://bowline.example.org',
        BOWLINE_TRUSTED_PROXIES: '127.0.0.1',
      }
      const other = await bootServer({ settings: { ...settings, BOWLINE_ALLOWED_HOSTS: '*.evil.test' } })
      try {
        const owner = await other.setUpAccount()
        const value = header === 'Forwarded' ? 'for=1.2.3.4;host=www.evil.test' : 'www.evil.test'
        const send = (path: string, body: object, method = 'POST') =>
          sendWith(other.origin, path, { method, body, headers: { [header]: value }, token: owner.auth.token })
        const person = newPerson()
        const invited = `${unique()}@example.com`
        const moved = `${unique()}@example.com`
        const statuses = [
          await send('/api/register', person),
          await send('/api/register', newPerson(unique(), { email: 'ada@example.com' })),
          await send('/api/user/recover_password', { username: 'ada' }),
          await send(`/api/namespaces/${owner.tenant}/members`, { email: invited, role: 'observer' }),
          await send('/api/users', { email: moved, current_password: PASSWORD }, 'PATCH'),
        ]
        expect(statuses).toEqual([200, 200, 200, 200, 200])
        await expect.poll(async () => (await mailsTo(other, 'ada@example.com', 'recover')).length).toBe(1)
        const links = [
          await linkIn(other, person.email, 'confirm'),
          await linkIn(other, 'ada@example.com', 'account-exists'),
          await linkIn(other, 'ada@example.com', 'recover'),
          await linkIn(other, invited, 'invitation'),
          await linkIn(other, moved, 'confirm-address'),
        ]
        expect(links.map((link) => link.origin)).toEqual(links.map(() => 'https://bowline.example.org'))
      } finally {
        await other.close()
      }
    },
  )
})

/** Sends a request with any header, the host too, which fetch would set itself. */
function sendWith(
  origin: string,
  path: string,
  call: { method: string; body: object; headers: Record<string, string>; token: string },
): Promise<number> {
  const body = JSON.stringify(call.body)
  const { hostname, port } = new URL(origin)
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    authorization: `Bearer ${call.token}`,
    ...call.headers,
  }
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, method: call.method, headers }, (incoming) => {
      incoming.resume().on('end', () => resolve(incoming.statusCode ?? 0))
    })
    outgoing.on('error', reject).end(body)
  })
}
