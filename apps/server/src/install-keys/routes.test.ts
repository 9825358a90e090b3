// Install keys over HTTP: who may create them, and what becomes of devices that register with one.
import { generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'
import { testContext } from '../testing/context.ts'
import { installKey } from './enrolment.ts'

const { installKeys, devices, auth, tags } = operations
let clock: ManualClock
let server: BootedServer
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock })
  await server.setUpAccount()
})
afterAll(() => server.close())

const newcomer = (): Promise<Person> => server.addPerson(`p${randomUUID().slice(0, 8)}`)
const create = async (owner: Person, values: object) =>
  (await owner.client.call(installKeys.create, { body: { name: 'fleet', ...values } })).body

interface Registering {
  readonly hostname?: string
  readonly mac?: string
  readonly publicKey?: string
}

function registration(tenant: TenantId, key: string | undefined, { hostname, mac, publicKey }: Registering = {}) {
  const octets = ['02', ...[...randomBytes(5)].map((byte) => byte.toString(16).padStart(2, '0'))]
  return {
    hostname: hostname ?? `d-${randomBytes(4).toString('hex')}`,
    identity: { mac: mac ?? octets.join(':') },
    info: { id: 'debian', pretty_name: 'Debian', version: '0.1.0', arch: 'x86_64', platform: 'native' as const },
    public_key: publicKey ?? generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' }),
    tenant_id: tenant,
    ...(key === undefined ? {} : { install_key: key }),
  }
}

const register = async (body: ReturnType<typeof registration>) =>
  (await server.client().call(auth.authenticateDevice, { body })).body
const deviceOf = async (owner: Person, uid: DeviceUid) =>
  (await owner.client.call(devices.get, { params: { uid } })).body

describe('creating an install key', () => {
  it('shows the key once and stores only its SHA-256', async () => {
    const owner = await newcomer()
    const made = await create(owner, { tags: ['berlin'], max_uses: 2 })
    expect(made).toMatchObject({ name: 'fleet', accepts: true, tags: ['berlin'], max_uses: 2, uses: 0 })
    expect(made.key).toMatch(/^ik-[a-z2-7]{26}$/)
    const answer = await owner.client.call(installKeys.list, { query: {} })
    expect(JSON.stringify(answer.body)).not.toContain(made.key)
    expect(answer.body).toMatchObject([{ name: 'fleet', created_by: owner.id, last_used_at: null }])
  })

  it.each([
    ['operator', '403 FORBIDDEN'],
    ['administrator', '200'],
  ] as const)('as %s: %s', async (role, expected) => {
    const [owner, person] = [await newcomer(), await newcomer()]
    await server.addMember(owner.tenant, person.id, role)
    const token = (await person.client.call(auth.switchNamespace, { params: { tenant: owner.tenant } })).body.token
    const call = server.client(token).call(installKeys.create, { body: { name: 'fleet' } })
    expect(await outcome(call)).toBe(expected)
  })

  it('refuses a taken name, more than three tags, no uses and a hundred and first key', async () => {
    const owner = await newcomer()
    await create(owner, {})
    expect(await outcome(create(owner, {}))).toBe('409 CONFLICT name')
    expect(await outcome(create(owner, { name: 'four', tags: ['aaa', 'bbb', 'ccc', 'ddd'] }))).toBe(
      '400 INVALID_INPUT tags',
    )
    expect(await outcome(create(owner, { name: 'none', max_uses: 0 }))).toBe('400 INVALID_INPUT max_uses')
    for (let at = 1; at < 100; at++) await create(owner, { name: `key-${at}` })
    expect(await outcome(create(owner, { name: 'more' }))).toBe('403 NAMESPACE_FULL')
  })
})

describe('a device that registers with an install key', () => {
  it('is tagged and accepted', async () => {
    const owner = await newcomer()
    const { key } = await create(owner, { tags: ['berlin', 'kiosk'] })
    const { uid } = await register(registration(owner.tenant, key))
    expect(await deviceOf(owner, uid)).toMatchObject({
      status: 'accepted',
      tags: ['berlin', 'kiosk'],
    })
    const { body } = await owner.client.call(installKeys.list, { query: {} })
    expect(body).toMatchObject([{ uses: 1, last_used_at: new Date(clock.now()).toISOString() }])
  })

  it('is tagged and waits where the key does not accept', async () => {
    const owner = await newcomer()
    const { key } = await create(owner, { tags: ['berlin'], accepts: false })
    const { uid } = await register(registration(owner.tenant, key))
    expect(await deviceOf(owner, uid)).toMatchObject({ status: 'pending', tags: ['berlin'] })
  })

  it('is refused with the reason when the key is unknown, of another namespace, expired or used up', async () => {
    const [owner, other] = [await newcomer(), await newcomer()]
    const { key } = await create(owner, { max_uses: 1, expires_in_days: 1 })
    const refused = async (tenant: TenantId, text: string) => outcome(register(registration(tenant, text)))
    expect(await refused(owner.tenant, `ik-${'a'.repeat(26)}`)).toBe('403 INSTALL_KEY_REFUSED install_key')
    expect(await refused(owner.tenant, "ik-' or true")).toBe('403 INSTALL_KEY_REFUSED install_key')
    expect(await refused(other.tenant, key)).toBe('403 INSTALL_KEY_REFUSED install_key')
    await register(registration(owner.tenant, key))
    await expect(register(registration(owner.tenant, key))).rejects.toThrow('it has been used up')
    const { key: short } = await create(owner, { name: 'short', expires_in_days: 1 })
    clock.advance(86_400_000)
    await expect(register(registration(owner.tenant, short))).rejects.toThrow('it has expired')
    const { body } = await owner.client.call(devices.list, { query: { status: 'pending' } })
    expect(body).toEqual([])
  })

  it('may present a key again that has expired since', async () => {
    const owner = await newcomer()
    const { key } = await create(owner, { max_uses: 1, accepts: false })
    const body = registration(owner.tenant, key)
    const { uid } = await register(body)
    await owner.client.call(installKeys.remove, { params: { install_key: 'fleet' } })
    expect((await register(body)).uid).toBe(uid)
    await owner.client.call(devices.setStatus, { params: { uid, status: 'accept' } })
    expect((await register(body)).uid).toBe(uid)
    expect(await deviceOf(owner, uid)).toMatchObject({ status: 'accepted' })
  })

  it('gets the new name of a tag that is renamed between the check of its key and its use', async () => {
    const owner = await newcomer()
    const { key } = await create(owner, { tags: ['berlin'] })
    const { uid } = await register(registration(owner.tenant, undefined))
    const ctx = testContext(server.database, owner.tenant, { clock })
    const enrol = await installKey(ctx, key)
    await owner.client.call(tags.rename, { params: { tag: 'berlin' }, body: { tag: 'hamburg' } })
    await enrol(ctx, uid)
    expect(await deviceOf(owner, uid)).toMatchObject({ tags: ['hamburg'] })
  })

  it('uses its key once, however often it registers while it is pending', async () => {
    const owner = await newcomer()
    const { key } = await create(owner, { max_uses: 5, accepts: false })
    const body = registration(owner.tenant, key)
    for (let at = 0; at < 3; at++) await register(body)
    expect((await owner.client.call(installKeys.list, { query: {} })).body).toMatchObject([{ uses: 1 }])
  })

  it('replaces no accepted device and takes no name: a member decides', async () => {
    const owner = await newcomer()
    const { key } = await create(owner, {})
    const first = registration(owner.tenant, key, { hostname: 'gate' })
    await register(first)
    const twin = await register(registration(owner.tenant, key, { hostname: 'gate-2', mac: first.identity.mac }))
    const namesake = await register(registration(owner.tenant, key, { hostname: 'gate' }))
    expect(await deviceOf(owner, twin.uid)).toMatchObject({ status: 'pending' })
    expect(await deviceOf(owner, namesake.uid)).toMatchObject({ status: 'pending' })
  })

  it('is never one more than the key’s uses, however many register at once', async () => {
    const owner = await newcomer()
    const { key } = await create(owner, { max_uses: 3 })
    await Promise.all(Array.from({ length: 8 }, () => outcome(register(registration(owner.tenant, key)))))
    const { body } = await owner.client.call(devices.list, { query: { status: 'accepted', per_page: '100' } })
    expect(body).toHaveLength(3)
    expect((await owner.client.call(installKeys.list, { query: {} })).body).toMatchObject([{ uses: 3 }])
  })
})
