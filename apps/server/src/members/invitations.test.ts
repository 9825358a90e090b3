// Invitations over HTTP: who may accept, for how long, and what becomes of them.
import { operations } from '@bowline/contract/operations'
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { mailsTo } from '../mails/testing/outbox.ts'
import { hashOf } from '../platform/secrets/hash.ts'
import { inviteBy, inviteByMail, linkIn, newPerson, open, unique } from '../registration/testing.ts'
import { type BootedServer, type Client, PASSWORD, type Person, bootServer, outcome } from '../testing/boot.ts'

const { members, namespaces, users, auth } = operations
let clock: ManualClock
let server: BootedServer
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock, settings: { BOWLINE_EDITION: 'cloud', BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1' } })
  await server.setUpAccount()
})
afterAll(() => server.close())
// Refills the rate limit of sign-ins.
beforeEach(() => clock.advance(10_000))

const DAY = 86_400_000
const newcomer = () => server.addPerson(unique())
const emailOf = ({ username }: Person) => `${username}@example.com`
const accept = (client: Client, tenant: TenantId, sig?: string) =>
  outcome(client.call(members.acceptInvite, { params: { tenant }, body: sig === undefined ? {} : { sig } }))
const status = (tenant: TenantId, id: string, sig: string) =>
  server
    .client()
    .call(members.inviteStatus, { params: { tenant, id }, query: { sig } })
    .then(({ body }) => body.status)
const add = (person: Person, email: string, role: 'observer' | 'operator' | 'administrator' = 'observer') =>
  person.client.call(members.add, { params: { tenant: person.tenant }, body: { email, role } })
const memberRow = (tenant: TenantId, user: UserId) =>
  server.database
    .system()
    .selectFrom('members')
    .selectAll()
    .where('tenant_id', '=', tenant)
    .where('user_id', '=', user)
    .executeTakeFirst()
/** Makes a member who may invite, with a client of the namespace. */
async function administratorOf(owner: Person): Promise<Person> {
  const person = await newcomer()
  await server.addMember(owner.tenant, person.id, 'administrator')
  const { body } = await person.client.call(auth.switchNamespace, { params: { tenant: owner.tenant } })
  return { ...person, tenant: owner.tenant, client: server.client(body.token) }
}

describe('invitation', () => {
  it('makes the invited person a member with the role on acceptance, once', async () => {
    const [owner, person] = [await newcomer(), await newcomer()]
    const { sig, user } = await inviteBy(owner, emailOf(person).toUpperCase(), 'operator')
    expect(user).toBe(person.id)
    expect(await status(owner.tenant, person.id, sig)).toBe('confirmed')
    const params = { tenant: owner.tenant }
    expect(await outcome(person.client.call(auth.switchNamespace, { params }))).toBe('404 NOT_FOUND')
    expect(await accept(person.client, owner.tenant, sig)).toBe('200')
    expect((await person.client.call(auth.switchNamespace, { params })).body.role).toBe('operator')
    expect(await accept(person.client, owner.tenant, sig)).toBe('404 NOT_FOUND')
    expect(await outcome(status(owner.tenant, person.id, sig))).toBe('404 NOT_FOUND')
  })

  it('reaches the invited address by mail in the cloud edition, and stores a hash', async () => {
    const owner = await newcomer()
    const email = `${unique()}@example.com`
    // The reference product's console capitalises roles.
    const { body } = await add(owner, email, 'Operator' as 'operator')
    expect(body.members.find((member) => member.email === email)).toMatchObject({ status: 'pending', role: 'operator' })
    const [mail] = await mailsTo(server, email, 'invitation')
    expect(mail?.values).toMatchObject({
      namespace: owner.namespace,
      inviter: owner.username,
      role: 'operator',
      days: 7,
    })
    const { pathname, searchParams } = await linkIn(server, email, 'invitation')
    const [user, sig] = [searchParams.get('user-id') ?? '', searchParams.get('sig') ?? '']
    expect([pathname, searchParams.get('tenant-id'), searchParams.get('email')]).toEqual([
      '/accept-invite',
      owner.tenant,
      email,
    ])
    expect(await status(owner.tenant, user, sig)).toBe('invited')
    expect(JSON.stringify(await memberRow(owner.tenant, user as UserId))).not.toContain(sig)
  })

  it('renews the link when repeated, and ends the earlier one', async () => {
    const [owner, person] = [await newcomer(), await newcomer()]
    const first = await inviteBy(owner, emailOf(person))
    const { expires_at: before } = (await memberRow(owner.tenant, person.id)) ?? {}
    clock.advance(60_000)
    const second = await inviteBy(owner, emailOf(person), 'operator')
    const { expires_at: after } = (await memberRow(owner.tenant, person.id)) ?? {}
    expect(Number(after) - Number(before)).toBe(60_000)
    expect(await accept(person.client, owner.tenant, first.sig)).toBe('403 NOT_YOURS')
    expect(await accept(person.client, owner.tenant, second.sig)).toBe('200')
  })

  it('refuses to invite a member, and more than a few repetitions', async () => {
    const [owner, person, member] = [await newcomer(), await newcomer(), await newcomer()]
    await server.addMember(owner.tenant, member.id, 'observer')
    expect(await outcome(add(owner, emailOf(member)))).toBe('409 ALREADY_MEMBER email')
    const outcomes = []
    for (let i = 0; i < 8; i += 1) outcomes.push(await outcome(add(owner, emailOf(person))))
    expect(outcomes.filter((answer) => answer === '200')).toHaveLength(6)
    expect(outcomes.at(-1)).toBe('429 TOO_MANY_REQUESTS')
  })

  it('requires authority over the role, and over that of the pending invitation', async () => {
    const owner = await newcomer()
    const administrator = await administratorOf(owner)
    const email = `${unique()}@example.com`
    expect(await outcome(add(administrator, email, 'administrator'))).toBe('200')
    expect(
      await outcome(
        owner.client.call(members.invite, { params: { tenant: owner.tenant }, body: { email, role: 'owner' } }),
      ),
    ).toBe('403 ROLE_TOO_HIGH')
  })

  it('is limited per person, whatever the number of namespaces', async () => {
    const owner = await newcomer()
    const row = { name: 'invitations', key: hashOf(owner.id), spent: 200, ends_at: new Date(clock.now() + DAY) }
    await server.database.system().insertInto('budgets').values(row).execute()
    expect(await outcome(add(owner, `${unique()}@example.com`))).toBe('429 TOO_MANY_REQUESTS')
  })

  it('can be withdrawn', async () => {
    const [owner, person] = [await newcomer(), await newcomer()]
    const { sig } = await inviteBy(owner, emailOf(person))
    const params = { tenant: owner.tenant, uid: person.id }
    expect(await outcome(owner.client.call(members.remove, { params }))).toBe('200')
    expect(await accept(person.client, owner.tenant, sig)).toBe('404 NOT_FOUND')
  })

  it('expires after seven days, and its placeholder with it', async () => {
    const [owner, person] = [await newcomer(), await newcomer()]
    const { sig } = await inviteBy(owner, emailOf(person))
    const stranger = `${unique()}@example.com`
    await inviteBy(owner, stranger)
    clock.advance(7 * DAY)
    const { body } = await server.client().call(auth.login, { body: { username: person.username, password: PASSWORD } })
    expect(await accept(server.client(body.token), owner.tenant, sig)).toBe('404 NOT_FOUND')
    clock.advance(600_000)
    const rows = server.database.system().selectFrom('users').select('id').where('email', '=', stranger)
    await expect.poll(async () => (await rows.execute()).length).toBe(0)
    expect(await memberRow(owner.tenant, person.id)).toBeUndefined()
  })
})

describe('acceptance', () => {
  /** Sessions that may hold a link, and what each call answers them. */
  const sessions: Record<
    string,
    { client: (invited: Person) => Promise<Client> | Client; accepts: string; lists: number | string }
  > = {
    nobody: { client: () => server.client(), accepts: '401 UNAUTHORIZED', lists: '401 UNAUTHORIZED' },
    'another account': { client: async () => (await newcomer()).client, accepts: '403 NOT_YOURS', lists: 0 },
    'an unconfirmed account': {
      client: async (invited) => {
        const db = server.database.system().updateTable('users')
        await db.set({ status: 'not-confirmed' }).where('id', '=', invited.id).execute()
        return invited.client
      },
      accepts: '401 UNAUTHORIZED',
      lists: '401 UNAUTHORIZED',
    },
    'the invited account': { client: ({ client }) => client, accepts: '200', lists: 1 },
  }

  it.each(Object.entries(sessions))('passes for the verified owner of the address only: %s', async (_, session) => {
    const [owner, invited] = [await newcomer(), await newcomer()]
    const { sig } = await inviteBy(owner, emailOf(invited))
    const client = await session.client(invited)
    const list = client.call(members.listInvites, {}).then(({ body }) => body.length)
    expect(await list.catch((error: unknown) => outcome(Promise.reject(error as Error)))).toBe(session.lists)
    // A registration with the same address says nothing and changes nothing, whoever sends it.
    const body = { ...newPerson(), email: emailOf(invited), sig }
    expect((await client.call(users.register, { body })).body).toBeUndefined()
    expect(await accept(client, owner.tenant, 'x')).not.toBe('200')
    expect(await accept(client, owner.tenant, sig)).toBe(session.accepts)
    const row = await memberRow(owner.tenant, invited.id)
    expect(row?.status).toBe(session.accepts === '200' ? 'accepted' : 'pending')
  })

  it('is described to whoever has the link, and to nobody else', async () => {
    const [owner, invited] = [await newcomer(), await newcomer()]
    const stranger = `${unique()}@example.com`
    const [toAccount, toStranger] = [
      await inviteBy(owner, emailOf(invited), 'operator'),
      await inviteBy(owner, stranger),
    ]
    const described = ({ sig, user }: typeof toAccount) =>
      server.client().call(members.inviteStatus, { params: { tenant: owner.tenant, id: user }, query: { sig } })
    const of = { namespace: owner.namespace, inviter: owner.auth.name }
    expect((await described(toAccount)).body).toEqual({ ...of, role: 'operator', status: 'confirmed' })
    expect((await described(toStranger)).body).toEqual({ ...of, role: 'observer', status: 'invited' })
    expect(await outcome(described({ ...toAccount, sig: toStranger.sig }))).toBe('403 NOT_YOURS')
  })

  it('fails for an account whose address has changed since', async () => {
    const [owner, person] = [await newcomer(), await newcomer()]
    const { sig } = await inviteBy(owner, emailOf(person))
    const email = `${unique()}@example.com`
    await person.client.call(users.update, { body: { email, current_password: PASSWORD } })
    await open(server, await linkIn(server, email, 'confirm-address'))
    expect(await accept(person.client, owner.tenant, sig)).toBe('403 NOT_YOURS')
    expect((await person.client.call(members.listInvites, {})).body).toEqual([])
  })

  it.each(['is demoted', 'is removed', 'deletes the account'])('fails when the inviter %s', async (how) => {
    const [owner, person] = [await newcomer(), await newcomer()]
    const inviter = await administratorOf(owner)
    const { sig } = await inviteBy(inviter, emailOf(person), 'operator')
    const params = { tenant: owner.tenant, uid: inviter.id }
    if (how === 'is demoted') await owner.client.call(members.update, { params, body: { role: 'observer' } })
    else await owner.client.call(members.remove, { params })
    if (how === 'deletes the account') {
      const db = server.database.system()
      await db.deleteFrom('namespaces').where('owner', '=', inviter.id).execute()
      const { body } = await server
        .client()
        .call(auth.login, { body: { username: inviter.username, password: PASSWORD } })
      await server.client(body.token).call(users.remove, {})
    }
    expect(await accept(person.client, owner.tenant, sig)).toBe('404 NOT_FOUND')
    // Somebody with authority may renew it.
    const renewed = await inviteBy(owner, emailOf(person), 'operator')
    expect(await accept(person.client, owner.tenant, renewed.sig)).toBe('200')
  })

  it('pauses while the inviter is disabled: it is not shown, and accepted by neither link nor list', async () => {
    const [owner, person] = [await newcomer(), await newcomer()]
    const { sig } = await inviteBy(owner, emailOf(person), 'operator')
    const set = (values: { status: 'disabled' | 'confirmed'; disabled_at: Date | null }) =>
      server.database.system().updateTable('users').set(values).where('id', '=', owner.id).execute()
    await set({ status: 'disabled', disabled_at: new Date(clock.now()) })
    expect((await person.client.call(members.listInvites, {})).body).toEqual([])
    expect(await outcome(status(owner.tenant, person.id, sig))).toBe('404 NOT_FOUND')
    expect(await accept(person.client, owner.tenant, sig)).toBe('404 NOT_FOUND')
    expect(await accept(person.client, owner.tenant)).toBe('404 NOT_FOUND')
    await set({ status: 'confirmed', disabled_at: null })
    expect(await accept(person.client, owner.tenant, sig)).toBe('200')
  })

  it('creates no account through the link of an inviter who has lost the right', async () => {
    const owner = await newcomer()
    const inviter = await administratorOf(owner)
    const person = newPerson()
    const { sig } = await inviteByMail(server, inviter, person.email)
    await owner.client.call(members.remove, { params: { tenant: owner.tenant, uid: inviter.id } })
    expect((await server.client().call(users.register, { body: { ...person, sig } })).body).toBeUndefined()
  })

  it('needs no link for an invitation from one’s own list', async () => {
    const [owner, person, other] = [await newcomer(), await newcomer(), await newcomer()]
    await inviteBy(owner, emailOf(person), 'operator')
    const { body } = await person.client.call(members.listInvites, {})
    expect(body).toMatchObject([{ tenant_id: owner.tenant, role: 'operator' }])
    const acceptListed = (client: Client) =>
      outcome(client.call(members.acceptInvite, { params: { tenant: owner.tenant }, body: {} }))
    expect(await acceptListed(other.client)).toBe('404 NOT_FOUND')
    expect([await acceptListed(person.client), await acceptListed(person.client)]).toEqual(['200', '404 NOT_FOUND'])
  })

  it('passes once for concurrent calls', async () => {
    const [owner, person] = [await newcomer(), await newcomer()]
    const { sig } = await inviteBy(owner, emailOf(person))
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => accept(person.client, owner.tenant, sig)))
    expect(outcomes.filter((answer) => answer === '200')).toHaveLength(1)
  })

  it('answers for the tenant of the link only', async () => {
    const [owner, other, person] = [await newcomer(), await newcomer(), await newcomer()]
    const { sig } = await inviteBy(owner, emailOf(person))
    await inviteBy(other, emailOf(person))
    expect(await accept(person.client, other.tenant, sig)).toBe('403 NOT_YOURS')
  })
})

describe('state of an invitation', () => {
  it('needs the secret and knows nobody else', async () => {
    const [owner, person, stranger] = [await newcomer(), await newcomer(), await newcomer()]
    const { sig } = await inviteBy(owner, emailOf(person))
    expect(await outcome(status(owner.tenant, person.id, 'wrong'))).toBe('403 NOT_YOURS')
    expect(await outcome(status(owner.tenant, stranger.id, sig))).toBe('404 NOT_FOUND')
    expect(await outcome(status(owner.tenant, owner.id, sig))).toBe('404 NOT_FOUND')
    expect(await outcome(status(stranger.tenant, person.id, sig))).toBe('404 NOT_FOUND')
  })
})

describe('members of editions that are run by oneself', () => {
  it('are members at once, and can be invited by a link instead', async () => {
    const other = await bootServer()
    try {
      const owner = await other.setUpAccount()
      const person = await other.addPerson(unique())
      const { link } = await inviteBy(owner, emailOf(person))
      expect(new URL(link).pathname).toBe('/accept-invite')
      const params = { tenant: owner.tenant }
      const pending = (await owner.client.call(namespaces.get, { params })).body.members
      expect(pending.map(({ status: of }) => of).sort()).toEqual(['accepted', 'pending'])
      // Adding the person settles the invitation.
      const { body } = await add(owner, emailOf(person))
      expect(body.members.map(({ status: of }) => of)).toEqual(['accepted', 'accepted'])
      expect(await outcome(inviteBy(owner, `${unique()}@example.com`))).toBe('404 NOT_FOUND email')
    } finally {
      await other.close()
    }
  })
})
