// Pairing of devices by a code, over HTTP with a manual clock: the whole way, and what nobody may do on it.
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { disableNamespace, inNamespace, newAdministrator } from '../administration/testing.ts'
import { keyFingerprint } from '../devices/key-fingerprint.ts'
import { type BootedServer, type Person, bootServer, databaseUrl, outcome } from '../testing/boot.ts'
import { pairingCalls, unpaired } from './testing.ts'

const { audit, auth, devices, mfa, namespaces } = operations
let clock: ManualClock
let server: BootedServer
/** Another process on the same database. */
let other: BootedServer
let calls: ReturnType<typeof pairingCalls>
const sameKey = { BOWLINE_SECRET_KEY: '7'.repeat(64), BOWLINE_TRUSTED_PROXIES: '127.0.0.1' }
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock, settings: sameKey })
  await server.setUpAccount()
  other = await bootServer({ clock, settings: sameKey, reach: () => Promise.resolve(databaseUrl(server.owner)) })
  calls = pairingCalls(server, clock)
})
afterAll(async () => {
  await other.close()
  await server.close()
})
// Refills the rate limits of the sources.
beforeEach(() => clock.advance(300_000))

const newcomer = (): Promise<Person> => server.addPerson(`p${randomUUID().slice(0, 8)}`)
const memberOf = async (owner: Person, role: 'observer' | 'operator'): Promise<Person> => {
  const member = await newcomer()
  await server.addMember(owner.tenant, member.id, role)
  return { ...member, tenant: owner.tenant, client: await inNamespace(server, member, owner) }
}
const devicesOf = async (owner: Person) =>
  (await owner.client.call(devices.list, { query: { status: 'accepted' } })).body
const pendingOf = async (owner: Person) =>
  (await owner.client.call(devices.list, { query: { status: 'pending' } })).body
const paired = async (owner: Person, device = unpaired()) => {
  const code = await calls.start(device)
  return { code, device, added: await calls.confirm(owner, code.user_code, code.fingerprint) }
}

describe('a device that shows a code', () => {
  it('is in the namespace of the member who types it, accepted, and its agent registers there', async () => {
    const owner = await newcomer()
    const device = unpaired({ hostname: 'Kiosk.example' })
    const code = await calls.start(device, '203.0.113.9')
    expect(code.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    await expect(calls.poll(code.device_code)).rejects.toMatchObject({ code: 'CODE_PENDING' })
    clock.advance(60_000)
    const typed = code.user_code.toLowerCase().replace('-', ' ')
    const shown = await calls.describe(owner, typed)
    expect(shown).toMatchObject({ name: 'kiosk_example', info: device.info, source: '203.0.113.9' })
    expect(shown).toMatchObject({ fingerprint: await keyFingerprint(device.public_key), expires_in: 14 * 60 })
    expect(shown.fingerprint).toBe(code.fingerprint)
    expect(await devicesOf(owner)).toEqual([])
    const added = await calls.confirm(owner, typed, shown.fingerprint)
    expect(added).toMatchObject({ name: 'kiosk_example', status: 'accepted' })
    const answer = await calls.poll(code.device_code)
    expect(answer).toEqual({ tenant_id: owner.tenant, namespace: owner.namespace })
    // The answer may get lost.
    expect(await calls.poll(code.device_code)).toEqual(answer)
    const { privateKey: _, ...facts } = device
    const body = { ...facts, tenant_id: owner.tenant }
    const registered = (await server.client().call(auth.authenticateDevice, { body })).body
    expect(registered).toMatchObject({ uid: added.uid, name: 'kiosk_example' })
    expect(await devicesOf(owner)).toMatchObject([{ uid: added.uid, remote_addr: '203.0.113.9', info: device.info }])
    const { body: entries } = await owner.client.call(audit.list, { query: { search: added.uid } })
    expect(entries.map(({ action }) => action).toSorted()).toEqual(['device.accept', 'device.pair'])
    expect(entries.find(({ action }) => action === 'device.pair')?.details).toMatchObject({
      fingerprint: shown.fingerprint,
      from: '203.0.113.9',
    })
  })

  it('is known to every process of the installation', async () => {
    const owner = await newcomer()
    const code = await calls.start(unpaired())
    const elsewhere: Person = { ...owner, client: other.client(owner.auth.token) }
    await pairingCalls(other, clock).confirm(elsewhere, code.user_code, code.fingerprint)
    expect(await calls.poll(code.device_code)).toMatchObject({ tenant_id: owner.tenant })
  })

  it('gets the name that the member gives it', async () => {
    const owner = await newcomer()
    const code = await calls.start(unpaired())
    expect(await calls.confirm(owner, code.user_code, code.fingerprint, 'Front-Door')).toMatchObject({
      name: 'front-door',
    })
  })

  it('gets the name that its key has signed, whatever somebody has registered for its key before', async () => {
    const owner = await newcomer()
    const { privateKey, ...facts } = unpaired({ hostname: 'kiosk' })
    await server.registerDevice(owner.tenant, { ...facts, hostname: 'vault' })
    expect((await pendingOf(owner)).map(({ name }) => name)).toEqual(['vault'])
    const code = await calls.start({ privateKey, ...facts })
    expect(await calls.confirm(owner, code.user_code, code.fingerprint)).toMatchObject({
      name: 'kiosk',
      status: 'accepted',
    })
  })

  it('stays one device when it is paired again', async () => {
    const owner = await newcomer()
    const { device, added } = await paired(owner)
    clock.advance(10_000)
    expect((await paired(owner, device)).added).toEqual(added)
    expect(await devicesOf(owner)).toHaveLength(1)
  })

  it('waits for its acceptance where it would replace a device, which the member is told first', async () => {
    const owner = await newcomer()
    const mac = '02:00:00:00:00:77'
    const old = await server.acceptedDevice(owner, { identity: { mac } })
    const code = await calls.start(unpaired({ mac }))
    expect(await calls.describe(owner, code.user_code)).toMatchObject({ replaces: { uid: old.uid, name: old.name } })
    const added = await calls.confirm(owner, code.user_code, code.fingerprint)
    expect(added.status).toBe('pending')
    expect((await devicesOf(owner)).map(({ uid }) => uid)).toEqual([old.uid])
    expect((await pendingOf(owner)).map(({ uid }) => uid)).toEqual([added.uid])
  })

  it('replaces no device by its MAC address in capitals', async () => {
    const owner = await newcomer()
    const old = await server.acceptedDevice(owner, { identity: { mac: '02:00:00:00:ab:cd' } })
    const { added } = await paired(owner, unpaired({ mac: '02:00:00:00:AB:CD' }))
    expect(added.status).toBe('pending')
    expect((await devicesOf(owner)).map(({ uid }) => uid)).toEqual([old.uid])
  })
})

describe('a pairing code', () => {
  it('is issued to nobody who does not hold the key', async () => {
    const [device, stranger] = [unpaired(), unpaired()]
    const forged = { ...device, privateKey: stranger.privateKey }
    await expect(calls.start(forged)).rejects.toMatchObject({ status: 400, fields: ['proof'] })
    const old = clock.now() - 301_000
    await expect(calls.start(device, '192.0.2.1', old)).rejects.toMatchObject({ status: 400, fields: ['proof'] })
  })

  it('is stored as a hash, as is the secret of the agent', async () => {
    const code = await calls.start(unpaired())
    const rows = await server.database.system().selectFrom('pairings').selectAll().execute()
    const stored = JSON.stringify(rows, (_, value: unknown) =>
      Buffer.isBuffer(value) ? value.toString('latin1') : value,
    )
    expect(stored).toContain(code.fingerprint)
    for (const secret of [code.user_code, code.user_code.replace('-', ''), code.device_code]) {
      expect(stored).not.toContain(secret)
    }
  })

  it('adds no device other than the one that the member has seen', async () => {
    const owner = await newcomer()
    const [meant, swapped] = [await calls.start(unpaired()), await calls.start(unpaired())]
    const tried = outcome(calls.confirm(owner, swapped.user_code, meant.fingerprint))
    expect(await tried).toBe('404 NOT_FOUND')
    expect(await devicesOf(owner)).toEqual([])
  })

  it('is for one use, and is unknown to every other namespace from then on', async () => {
    const [owner, other] = [await newcomer(), await newcomer()]
    const { code } = await paired(owner)
    for (const person of [owner, other]) {
      expect(await calls.tried(person, code.user_code)).toBe('404 NOT_FOUND')
      expect(await outcome(calls.confirm(person, code.user_code, code.fingerprint))).toBe('404 NOT_FOUND')
    }
    expect(await devicesOf(other)).toEqual([])
    expect(await calls.poll(code.device_code)).toMatchObject({ tenant_id: owner.tenant })
  })

  it('gives the device to one of two members who confirm at once', async () => {
    const people = [await newcomer(), await newcomer(), await newcomer(), await newcomer()]
    const code = await calls.start(unpaired())
    const ends = await Promise.all(
      people.map((person) => outcome(calls.confirm(person, code.user_code, code.fingerprint))),
    )
    expect(ends.toSorted()).toEqual(['200', '404 NOT_FOUND', '404 NOT_FOUND', '404 NOT_FOUND'])
    const winner = people[ends.indexOf('200')]
    expect(await calls.poll(code.device_code)).toMatchObject({ tenant_id: winner?.tenant })
    const counts = await Promise.all(people.map(async (person) => (await devicesOf(person)).length))
    expect(counts).toEqual(people.map((person) => (person === winner ? 1 : 0)))
  })

  it('ends after a quarter of an hour, for the member and for the agent', async () => {
    const owner = await newcomer()
    const code = await calls.start(unpaired())
    clock.advance(LIMITS.pairingCode.minutes * 60_000)
    expect(await calls.tried(owner, code.user_code)).toBe('404 NOT_FOUND')
    expect(await outcome(calls.confirm(owner, code.user_code, code.fingerprint))).toBe('404 NOT_FOUND')
    await expect(calls.poll(code.device_code)).rejects.toMatchObject({ code: 'CODE_EXPIRED' })
  })

  it('ends when the device asks for another one', async () => {
    const owner = await newcomer()
    const device = unpaired()
    const [first, second] = [await calls.start(device), await calls.start(device)]
    expect(await calls.tried(owner, first.user_code)).toBe('404 NOT_FOUND')
    await expect(calls.poll(first.device_code)).rejects.toMatchObject({ code: 'CODE_EXPIRED' })
    await expect(calls.describe(owner, second.user_code)).resolves.toBeDefined()
  })

  it('is not to be typed by an observer', async () => {
    const owner = await newcomer()
    const code = await calls.start(unpaired())
    const observer = await memberOf(owner, 'observer')
    expect(await calls.tried(observer, code.user_code)).toBe('403 FORBIDDEN')
    expect(await outcome(calls.confirm(observer, code.user_code, code.fingerprint))).toBe('403 FORBIDDEN')
    const operator = await memberOf(owner, 'operator')
    expect(await outcome(calls.confirm(operator, code.user_code, code.fingerprint))).toBe('200')
  })
})

describe('a refused confirmation leaves nothing behind, and the code works', () => {
  it('where the namespace is at its device limit', async () => {
    const owner = await newcomer()
    await server.acceptedDevice(owner)
    const limit = (max_devices: number) =>
      server.database.system().updateTable('namespaces').set({ max_devices }).where('tenant_id', '=', owner.tenant)
    await limit(1).execute()
    const code = await calls.start(unpaired())
    expect(await outcome(calls.confirm(owner, code.user_code, code.fingerprint))).toBe('403 DEVICE_LIMIT')
    expect([await devicesOf(owner), await pendingOf(owner)].map(({ length }) => length)).toEqual([1, 0])
    await expect(calls.poll(code.device_code)).rejects.toMatchObject({ code: 'CODE_PENDING' })
    await limit(2).execute()
    expect(await outcome(calls.confirm(owner, code.user_code, code.fingerprint))).toBe('200')
  })

  it('where another accepted device has the name', async () => {
    const owner = await newcomer()
    await server.acceptedDevice(owner, { hostname: 'pi' })
    const code = await calls.start(unpaired({ hostname: 'pi' }))
    expect(await outcome(calls.confirm(owner, code.user_code, code.fingerprint))).toBe('409 DEVICE_NAME_TAKEN name')
    expect(await pendingOf(owner)).toEqual([])
    expect(await outcome(calls.confirm(owner, code.user_code, code.fingerprint, 'pi-2'))).toBe('200')
  })

  it('where the other name would let in by rules or keys that the member may not edit', async () => {
    const owner = await newcomer()
    const filter = { hostname: '^vault$' }
    const rule = { action: 'deny' as const, active: true, priority: 1, source_ip: '.*', username: '.*', filter }
    await owner.client.call(operations.firewall.create, { body: rule })
    const operator = await memberOf(owner, 'operator')
    const code = await calls.start(unpaired())
    expect(await outcome(calls.confirm(operator, code.user_code, code.fingerprint, 'vault'))).toBe('403 POLICY_CHANGE')
    expect(await pendingOf(owner)).toEqual([])
    expect(await outcome(calls.confirm(owner, code.user_code, code.fingerprint, 'vault'))).toBe('200')
  })

  it('where the namespace is disabled', async () => {
    const [owner, administrator] = [await newcomer(), await newAdministrator(server, `a${randomUUID().slice(0, 8)}`)]
    await administrator.client.call(mfa.prove, { body: { current_password: administrator.password } })
    const code = await calls.start(unpaired())
    await disableNamespace(administrator, owner)
    expect(await outcome(calls.confirm(owner, code.user_code, code.fingerprint))).toBe('403 NAMESPACE_DISABLED')
    await expect(calls.poll(code.device_code)).rejects.toMatchObject({ code: 'CODE_PENDING' })
  })
})

describe('a namespace that ends before the agent asks', () => {
  it('gives it no namespace once it is disabled', async () => {
    const [owner, administrator] = [await newcomer(), await newAdministrator(server, `a${randomUUID().slice(0, 8)}`)]
    await administrator.client.call(mfa.prove, { body: { current_password: administrator.password } })
    const { code } = await paired(owner)
    await disableNamespace(administrator, owner)
    await expect(calls.poll(code.device_code)).rejects.toMatchObject({ code: 'CODE_EXPIRED' })
  })

  it('gives it no namespace once it is deleted', async () => {
    const owner = await newcomer()
    const { code } = await paired(owner)
    await owner.client.call(namespaces.remove, { params: { tenant: owner.tenant } })
    await expect(calls.poll(code.device_code)).rejects.toMatchObject({ code: 'CODE_EXPIRED' })
    expect(await calls.tried(owner, (await calls.start(unpaired())).user_code)).toMatch(/^4/)
  })
})
