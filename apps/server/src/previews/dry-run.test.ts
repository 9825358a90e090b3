// Dry run of firewall rules over HTTP.
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, type RegisteredDevice, bootServer, outcome } from '../testing/boot.ts'

const { firewall } = operations
let clock: ManualClock
let server: BootedServer
let owner: Person
let member: Person
let kiosk: RegisteredDevice
let number = 0
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock })
  await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(async () => {
  number += 1
  owner = await server.addPerson(`owner-${number}`)
  member = await server.addPerson(`member-${number}`)
  await server.addMember(owner.tenant, member.id, 'operator')
  kiosk = await server.acceptedDevice(owner, { hostname: 'kiosk' })
})

const RULE = {
  action: 'deny' as const,
  active: true,
  priority: 5,
  source_ip: '.*',
  username: '.*',
  filter: { hostname: '.*' },
}
let serial = 0
/** Adds sessions that began some days ago. */
async function add(values: object, days = 1, count = 1): Promise<void> {
  const rows = Array.from({ length: count }, () => ({
    uid: SessionUid.parse((serial += 1).toString(16).padStart(64, '0')),
    tenant_id: owner.tenant,
    device_uid: kiosk.uid,
    username: 'root',
    type: 'term' as const,
    authenticated: true,
    ip_address: '192.0.2.1',
    method: 'publickey' as const,
    started_at: new Date(clock.now() - days * 86_400_000),
    last_seen: new Date(clock.now()),
    ...values,
  }))
  await server.database.system().insertInto('sessions').values(rows).execute()
}
const of = ({ id, username }: Person) => ({ person_id: id, person: `${username}@example.com` })
const dryRun = async (body: object) => (await owner.client.call(firewall.tryChange, { body })).body
const create = async (change: object = {}) =>
  (await owner.client.call(firewall.create, { body: { ...RULE, ...change } })).body

describe('a dry run', () => {
  it('counts the sessions that a new rule would have blocked, with examples, and changes nothing', async () => {
    await add(of(member))
    await add({ ip_address: '198.51.100.7' }, 2)
    await add({ ip_address: '198.51.100.8' }, 3, 2)
    await add({ username: 'anna', ...of(member) })
    await add({ ...of(member) }, LIMITS.dryRun.days + 1)
    await add({
      authenticated: false,
      cause_by: 'user',
      cause_reason: 'closed',
      cause_message: 'x',
      closed_at: new Date(),
    })
    const result = await dryRun({ rule: { ...RULE, username: '^root$' } })
    expect(result).toMatchObject({ sessions: 5, complete: true, others: 1, caller: { devices: 0, cut_off: 0 } })
    expect(result.blocked).toMatchObject({ sessions: 4, devices: 1, people: 1, addresses: 2 })
    expect(result.blocked.examples).toMatchObject([
      { username: 'root', address: '192.0.2.1', person: { id: member.id }, rule: null, proposed: true },
      { username: 'root', address: '198.51.100.7', person: null, device: { uid: kiosk.uid, name: 'kiosk' } },
      { address: '198.51.100.8', person: null },
      { address: '198.51.100.8', person: null },
    ])
    expect(result.allowed).toEqual({ sessions: 0, devices: 0, people: 0, addresses: 0, examples: [] })
    expect((await owner.client.call(firewall.list, {})).body).toEqual([])
  })

  it('counts the sessions that a removed, replaced or moved rule would have let in', async () => {
    const deny = await create({ source_networks: ['192.0.2.0/24'] })
    const allow = await create({ action: 'allow', priority: 4, username: 'root' })
    const cause = { cause_by: 'policy', cause_reason: 'firewall', cause_message: 'x', closed_at: new Date() } as const
    await add({ authenticated: false, ...cause })
    expect((await dryRun({ id: deny.id })).allowed).toMatchObject({ sessions: 1, examples: [{ rule: allow.id }] })
    const rule = { ...RULE, source_networks: ['192.0.2.128/25'] }
    expect((await dryRun({ id: deny.id, rule })).allowed.sessions).toBe(1)
    expect((await dryRun({ order: [allow.id, deny.id] })).allowed.examples).toMatchObject([
      { rule: allow.id, proposed: false },
    ])
    expect((await dryRun({ order: [deny.id, allow.id] })).allowed.sessions).toBe(0)
  })

  it('tells callers how many of their devices they would lose, from where they are now', async () => {
    const shed = await server.acceptedDevice(owner, { hostname: 'shed' })
    await add(of(owner))
    await add({ ...of(owner), device_uid: shed.uid })
    const cut = (change: object) => dryRun({ rule: { ...RULE, ...change } })
    expect(await cut({ filter: { hostname: 'shed' }, source_networks: ['127.0.0.0/8', '::1/128'] })).toMatchObject({
      blocked: { sessions: 0 },
      caller: { devices: 2, cut_off: 1 },
    })
    expect(await cut({ people: [owner.id] })).toMatchObject({ caller: { devices: 2, cut_off: 2 }, others: 0 })
    expect(await cut({ source_networks: ['192.0.2.0/24'] })).toMatchObject({
      blocked: { sessions: 2 },
      caller: { cut_off: 0 },
    })
  })

  it('asks the rules about a password before its person is known, and with the person again', async () => {
    await add({ ...of(member), method: 'password' })
    await add({ ...of(member) })
    // A rule that denies nobody known: only the password meets it.
    await create({ action: 'allow', priority: 9, people: [member.id] })
    expect((await dryRun({ rule: RULE })).blocked.sessions).toBe(1)
  })

  it('tells callers who have reached nothing lately what they could reach, and would lose', async () => {
    const shed = await server.acceptedDevice(owner, { hostname: 'shed' })
    const deny = { ...RULE, filter: { hostname: shed.name } }
    expect(await dryRun({ rule: deny })).toMatchObject({ caller: { devices: 0, cut_off: 0, reachable: 2, lost: 1 } })
    expect(await dryRun({ rule: RULE })).toMatchObject({ caller: { reachable: 2, lost: 2 } })
    expect(await dryRun({ rule: { ...RULE, people: [member.id] } })).toMatchObject({ caller: { lost: 0 } })
    expect(await dryRun({ rule: { ...RULE, source_networks: ['192.0.2.0/24'] } })).toMatchObject({
      caller: { lost: 0 },
    })
    const allow = await create({ ...deny, action: 'allow', priority: 9, roles: ['owner'] })
    await create()
    expect(await dryRun({ id: allow.id })).toMatchObject({ caller: { reachable: 1, lost: 1 } })
  })

  it('takes the names of own logins, or else those of others and usual ones, for those that reach devices', async () => {
    const lost = async (username: string) => (await dryRun({ rule: { ...RULE, username } })).caller.lost
    expect([await lost('^root$'), await lost('^(root|user)$')]).toEqual([0, 1])
    await add({ ...of(member), username: 'bob' })
    expect(await lost('^(root|user)$')).toBe(0)
    await add({ ...of(owner), username: 'anna' })
    expect([await lost('^root$'), await lost('^anna$')]).toEqual([0, 1])
  })

  it('tries a list of all rules: some changed, some new, some left out, in another order', async () => {
    await create({ username: '^anna$' })
    const second = await create({ username: '^root$', priority: 7 })
    const third = await create({ action: 'allow', username: '^root$', priority: 6 })
    await add(of(member))
    await add({ username: 'anna', ...of(member) })
    await add({ username: 'bob', ...of(member) })
    // The first rule is gone, the third one comes before the second one, and there is a new one.
    const rules = [{ ...third, priority: 8 }, second, { ...RULE, username: '^bob$' }]
    const result = await dryRun({ rules })
    expect(result.allowed).toMatchObject({ sessions: 2 })
    const allowed = new Map(result.allowed.examples.map(({ username, proposed }) => [username, proposed]))
    expect(Object.fromEntries(allowed)).toEqual({ anna: false, root: true })
    expect(result.blocked.examples).toMatchObject([{ username: 'bob', proposed: true, rule: null }])
    expect(await dryRun({ rules: [] })).toMatchObject({ allowed: { sessions: 2 }, blocked: { sessions: 0 } })
    expect((await owner.client.call(firewall.list, {})).body).toHaveLength(3)
  })

  it('stops at its limits and says so', async () => {
    for (let part = 0; part < 5; part += 1) await add({}, 1, LIMITS.dryRun.sessions / 5)
    await add({})
    const many = await dryRun({ rule: RULE })
    expect(many).toMatchObject({ sessions: LIMITS.dryRun.sessions, complete: false })
    expect(many.blocked.sessions).toBe(LIMITS.dryRun.sessions)
    expect(many.blocked.examples).toHaveLength(LIMITS.dryRun.examples)
  })

  it('stops when the rules are too large to evaluate on all sessions', async () => {
    const { filter: _, ...row } = {
      ...RULE,
      username: '[^a]{0,500}',
      tenant_id: owner.tenant,
      hostname: '.*',
      tags: null,
    }
    await server.database.system().insertInto('firewall_rules').values(Array(29).fill(row)).execute()
    for (let user = 0; user < 400; user += 1) await add({ username: `user-${user}` })
    const result = await dryRun({ rule: RULE })
    expect(result.complete).toBe(false)
    expect(result.sessions).toBeGreaterThan(0)
    expect(result.sessions).toBeLessThan(400)
  })

  it.each([
    [{}, '400 INVALID_INPUT body'],
    [{ id: 2_000_000_000 }, '404 NOT_FOUND'],
    [{ order: [1] }, '409 RULES_CHANGED rules'],
    [{ order: [], id: 1 }, '400 INVALID_INPUT body'],
    [{ order: [], rules: [] }, '400 INVALID_INPUT body'],
    [{ rules: [{ ...RULE, id: 2_000_000_000 }] }, '404 NOT_FOUND'],
    [{ rules: [{ ...RULE, source_ip: '(' }] }, '400 INVALID_INPUT source_ip'],
    [{ rules: [{ ...RULE, username: '[^a]{0,1000}'.repeat(80) }] }, '400 INVALID_INPUT username'],
    [{ rule: { ...RULE, source_ip: '(' } }, '400 INVALID_INPUT source_ip'],
    [{ rule: { ...RULE, username: '[^a]{0,1000}'.repeat(80) } }, '400 INVALID_INPUT username'],
  ])('refuses %j', async (body, expected) => {
    expect(await outcome(dryRun(body))).toBe(expected)
  })
})
