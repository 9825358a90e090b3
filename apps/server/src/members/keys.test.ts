// Keys and sessions of members who leave a namespace.
import { randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import type { Role } from '@bowline/contract/roles'
import type { TenantId } from '@bowline/contract/schemas/common'
import { type UserKey, ed25519Key } from '@bowline/ssh/testing/user-key'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FakeDevice, fakeDevice, rawClient } from '../testing/gateway.ts'
import { readyPage } from '../gateway/web/testing.ts'
import { freshKeyData } from '../testing/samples.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'

const { apiKeys, audit, auth, members, namespaces, publicKeys } = operations
let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
})
afterAll(() => server.close())

const newcomer = () => server.addPerson(`p${randomUUID().slice(0, 8)}`)
const emailOf = (person: Person) => `${person.username}@example.com`

/** Adds a member. @returns the person with a client whose token is for the namespace */
async function join(tenant: TenantId, person: Person, role: Role): Promise<Person> {
  await server.addMember(tenant, person.id, role)
  const { body } = await person.client.call(auth.switchNamespace, { params: { tenant } })
  return { ...person, client: server.client(body.token) }
}

/** An owner's namespace and an administrator in it, Adam. */
async function withAdam(): Promise<{ owner: Person; adam: Person }> {
  const owner = await newcomer()
  return { owner, adam: await join(owner.tenant, await newcomer(), 'administrator') }
}

const values = { name: 'laptop', username: '.*', filter: { hostname: '.*' } }
const create = async (person: Person, changes: object = {}) =>
  (await person.client.call(publicKeys.create, { body: { ...values, data: freshKeyData(), ...changes } })).body
const keysOf = async (person: Person) => (await person.client.call(publicKeys.list, {})).body
const remove = (owner: Person, member: Person) =>
  owner.client.call(members.remove, { params: { tenant: owner.tenant, uid: member.id } })
const dataOf = ({ blob, publicKey }: UserKey) =>
  Buffer.from(`${publicKey.type} ${Buffer.from(blob).toString('base64')}`).toString('base64')
const log = async (owner: Person) => (await owner.client.call(audit.list, {})).body

/** Logs in to a device with a key. @returns `success` or `failure` */
async function signIn(device: FakeDevice, key: UserKey) {
  const client = await rawClient(server)
  await client.startAuthentication()
  const offer = { user: device.login('root'), algorithm: key.algorithm, blob: key.blob, signer: key.sign }
  client.send(client.publicKeyRequest(offer))
  return { client, answer: await client.authAnswer() }
}

describe('key ownership', () => {
  it.each(['the owner’s key', 'a service key'])('rejects a former member’s key registered as %s', async (way) => {
    const { owner, adam } = await withAdam()
    const device = await fakeDevice(server, owner)
    const key = ed25519Key()
    await create(adam, { data: dataOf(key), owner: way === 'a service key' ? null : owner.id })
    expect((await signIn(device, key)).answer).toBe('success')
    await remove(owner, adam)
    expect((await signIn(device, key)).answer).toBe('failure')
    expect(await log(owner)).toContainEqual(expect.objectContaining({ action: 'public-key.disable' }))
  })

  it('assigns a key to the caller, or to the owner of the caller’s API key', async () => {
    const { owner, adam } = await withAdam()
    expect(await create(adam)).toMatchObject({ owner: adam.id, disabled: false })
    const { body: apiKey } = await adam.client.call(apiKeys.create, { body: { name: 'program', expires_at: -1 } })
    const answer = await server.fetch('/api/sshkeys/public-keys', {
      method: 'POST',
      headers: { 'x-api-key': apiKey.id, 'content-type': 'application/json' },
      body: JSON.stringify({ ...values, data: freshKeyData() }),
    })
    expect(await answer.json()).toMatchObject({ owner: adam.id })
    expect((await keysOf(owner)).map((key) => key.owner)).toEqual([adam.id, adam.id])
  })

  it('registers service keys and keys of other members, but not of non-members', async () => {
    const { owner, adam } = await withAdam()
    expect(await create(owner, { owner: null })).toMatchObject({ owner: null, disabled: false })
    expect(await create(owner, { owner: adam.id })).toMatchObject({ owner: adam.id, disabled: false })
    const outsider = await newcomer()
    expect(await outcome(create(owner, { owner: outsider.id }))).toBe('404 NOT_FOUND owner')
  })

  it('keeps a key’s owner when an update names none', async () => {
    const { owner, adam } = await withAdam()
    const { fingerprint } = await create(adam)
    const { body } = await owner.client.call(publicKeys.update, { params: { fingerprint }, body: values })
    expect(body).toMatchObject({ owner: adam.id, disabled: false })
  })

  it('filters keys by owner, disabled and service', async () => {
    const { owner, adam } = await withAdam()
    await create(adam, { name: 'of-adam' })
    await create(owner, { name: 'of-owner' })
    await create(owner, { name: 'of-nobody', owner: null })
    const names = async (name: string, value: unknown) => {
      const items = [{ type: 'property', params: { name, operator: 'eq', value } }]
      const filter = Buffer.from(JSON.stringify(items)).toString('base64url')
      return (await owner.client.call(publicKeys.list, { query: { filter } })).body.map((key) => key.name)
    }
    expect(await names('owner', adam.id)).toEqual(['of-adam'])
    await remove(owner, adam)
    expect(await names('disabled', true)).toEqual(['of-adam'])
    expect(await names('disabled', false)).toEqual(['of-owner', 'of-nobody'])
    expect(await names('service', true)).toEqual(['of-nobody'])
  })
})

describe('keys of a former member', () => {
  it('disables a removed member’s keys and reports them in answer and audit log', async () => {
    const { owner, adam } = await withAdam()
    const [first, second] = [await create(adam, { name: 'one' }), await create(adam, { name: 'two' })]
    await create(owner, { name: 'mine' })
    const { body } = await remove(owner, adam)
    expect(body.disabled_keys).toEqual(
      [first, second]
        .map(({ fingerprint, name }) => ({ fingerprint, name }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    )
    expect(await keysOf(owner)).toMatchObject([
      { name: 'one', owner: null, disabled: true, former_owner: emailOf(adam) },
      { name: 'two', owner: null, disabled: true, former_owner: emailOf(adam) },
      { name: 'mine', owner: owner.id, disabled: false, former_owner: '' },
    ])
    const entries = await log(owner)
    expect(entries.find(({ action }) => action === 'member.remove')).toMatchObject({
      target: adam.id,
      details: { keys: expect.arrayContaining([first.fingerprint, second.fingerprint]) },
    })
    expect(
      entries
        .filter(({ action }) => action === 'public-key.disable')
        .map(({ target }) => target)
        .sort(),
    ).toEqual([first.fingerprint, second.fingerprint].sort())
  })

  it('disables a member’s keys when the member leaves', async () => {
    const { owner, adam } = await withAdam()
    const { fingerprint } = await create(adam)
    await adam.client.call(members.leave, { params: { tenant: owner.tenant } })
    expect(await keysOf(owner)).toMatchObject([{ fingerprint, disabled: true, former_owner: emailOf(adam) }])
    expect((await log(owner)).find(({ action }) => action === 'member.leave')).toMatchObject({
      details: { keys: [fingerprint] },
    })
  })

  it('disables a member’s keys when the account is deleted', async () => {
    const { owner, adam } = await withAdam()
    await create(adam)
    const system = server.database.system()
    await system.deleteFrom('namespaces').where('owner', '=', adam.id).execute()
    await system.deleteFrom('users').where('id', '=', adam.id).execute()
    expect(await keysOf(owner)).toMatchObject([{ owner: null, disabled: true }])
  })

  it('keeps keys disabled when a former member rejoins', async () => {
    const { owner, adam } = await withAdam()
    await create(adam)
    await remove(owner, adam)
    await server.addMember(owner.tenant, adam.id, 'administrator')
    expect(await keysOf(owner)).toMatchObject([{ disabled: true }])
  })

  it('disables keys that are created during the removal of their owner', async () => {
    const { owner, adam } = await withAdam()
    const making = Array.from({ length: 20 }, () => outcome(create(adam)))
    await remove(owner, adam)
    expect((await Promise.all(making)).filter((one) => one !== '200' && one !== '401 UNAUTHORIZED')).toEqual([])
    expect((await keysOf(owner)).filter((key) => !key.disabled)).toEqual([])
  })
})

describe('disabled keys', () => {
  it('enables a disabled key by handing it over or making it a service key', async () => {
    const { owner, adam } = await withAdam()
    const device = await fakeDevice(server, owner)
    const key = ed25519Key()
    const { fingerprint } = await create(adam, { data: dataOf(key) })
    await remove(owner, adam)
    expect((await signIn(device, key)).answer).toBe('failure')
    const handOver = (to: string | null) =>
      owner.client.call(publicKeys.update, { params: { fingerprint }, body: { ...values, owner: to } })
    expect(await outcome(handOver(adam.id))).toBe('404 NOT_FOUND owner')
    expect((await handOver(owner.id)).body).toMatchObject({ owner: owner.id, disabled: false, former_owner: '' })
    expect((await signIn(device, key)).answer).toBe('success')
    expect((await handOver(null)).body).toMatchObject({ owner: null, disabled: false })
    expect((await signIn(device, key)).answer).toBe('success')
    expect((await log(owner)).find(({ action }) => action === 'public-key.update')).toMatchObject({
      target: fingerprint,
      details: { before: { owner: owner.id, service: false }, after: { owner: null, service: true } },
    })
  })
})

describe('sessions of a former member', () => {
  it.each(['by default', 'even if running sessions outlive policy changes'])(
    'ends key-based sessions of a removed member, %s',
    async (setting) => {
      const { owner, adam } = await withAdam()
      if (setting !== 'by default') {
        const body = { settings: { end_disallowed_sessions: false } }
        await owner.client.call(namespaces.update, { params: { tenant: owner.tenant }, body })
      }
      const device = await fakeDevice(server, owner)
      const [his, mine] = [ed25519Key(), ed25519Key()]
      await create(adam, { data: dataOf(his) })
      await create(owner, { data: dataOf(mine) })
      const [gone, stays] = [await signIn(device, his), await signIn(device, mine)]
      expect([gone.answer, stays.answer]).toEqual(['success', 'success'])
      await remove(owner, adam)
      expect((await gone.client.disconnected()).message).toContain('withdrawn')
      expect(stays.client.ended).toBe(false)
      await expect
        .poll(async () => (await owner.client.call(operations.sessions.list, {})).body.filter((one) => !one.active))
        .toHaveLength(1)
    },
  )

  it('ends a removed member’s web terminals, also those opened by password', async () => {
    const { owner, adam } = await withAdam()
    const { device } = await fakeDevice(server, owner)
    const his = await readyPage(server, adam, device.uid)
    const mine = await readyPage(server, owner, device.uid)
    await remove(owner, adam)
    await his.page.next('ended')
    expect(mine.page.messages.filter(({ type }) => type === 'ended')).toEqual([])
  })

  it('ends sessions when another process removes the member', async () => {
    const { owner, adam } = await withAdam()
    const device = await fakeDevice(server, owner)
    const key = ed25519Key()
    await create(adam, { data: dataOf(key) })
    const { client } = await signIn(device, key)
    const { page } = await readyPage(server, adam, device.device.uid)
    await server.removeMember(owner.tenant, adam.id)
    expect((await client.disconnected()).message).toContain('withdrawn')
    await page.next('ended')
  })
})

describe('API keys', () => {
  // 240 creations: may exceed the default timeout on a busy machine.
  it('deletes API keys that are created during the removal of their owner', { timeout: 120_000 }, async () => {
    const { owner, adam } = await withAdam()
    const id = (name: string) => ({ name, expires_at: -1 as const })
    for (let round = 0; round < 6; round += 1) {
      const { body } = await (
        await newcomerToken(adam)
      ).call(auth.switchNamespace, { params: { tenant: owner.tenant } })
      const client = server.client(body.token)
      const making = Array.from({ length: 40 }, (_, i) =>
        outcome(client.call(apiKeys.create, { body: id(`k${round}-${i}`) })),
      )
      await remove(owner, adam)
      await Promise.all(making)
      await server.addMember(owner.tenant, adam.id, 'administrator')
      expect((await owner.client.call(apiKeys.list, {})).body).toEqual([])
    }
  })
})

/** A client whose token is for the person’s own namespace. */
async function newcomerToken(person: Person) {
  const { username, password } = person
  const { body } = await server.client().call(auth.login, { body: { username, password } })
  return server.client(body.token)
}
