// Access requests over HTTP: who asks, who decides, and when a request can be changed.
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'
import { type Member, approve, ask, deny, end, listed, memberOf, signedInTo } from './testing.ts'

const { apiKeys, audit, devices, namespaces } = operations
const HOUR_MS = 3_600_000
let clock: ManualClock
let server: BootedServer
let owner: Person
let operator: Member
let device: string
let number = 0
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock })
  await server.setUpAccount()
})
afterAll(() => server.close())
beforeEach(async () => {
  owner = await server.addPerson(`owner-${(number += 1)}`)
  operator = await memberOf(server, owner, 'operator')
  device = (await server.acceptedDevice(owner)).uid
})

const settings = (values: object) =>
  owner.client.call(namespaces.update, { params: { tenant: owner.tenant }, body: { settings: values } })
const logged = async () =>
  (await owner.client.call(audit.list, { query: {} })).body.filter(({ action }) => action.startsWith('access-request'))
const stateOf = async (id: string) => (await listed(owner.client)).find((one) => one.id === id)?.state

describe('an access request', () => {
  it('tells approvers who asks, for what, how long and why', async () => {
    const { id } = await ask(operator.client, {
      device,
      accounts: ['root', 'kiosk'],
      minutes: 45,
      reason: 'ticket 4711',
    })
    expect(await listed(owner.client)).toMatchObject([
      {
        id,
        state: 'pending',
        requester: { id: operator.person.id, name: operator.person.username },
        device: { uid: device },
        tag: null,
        accounts: ['root', 'kiosk'],
        minutes: 45,
        reason: 'ticket 4711',
        decided_by: null,
        expires_at: null,
      },
    ])
  })

  it.each(['observer', 'operator', 'administrator'] as const)('can be made by an %s', async (role) => {
    const { client } = await memberOf(server, owner, role)
    expect((await ask(client, { device })).state).toBe('pending')
  })

  it.each([
    ['observer', '403 FORBIDDEN'],
    ['operator', '403 FORBIDDEN'],
    ['administrator', '200'],
  ] as const)('is decided by an %s: %s', async (role, answer) => {
    const { client } = await memberOf(server, owner, role)
    const [one, other] = [await ask(operator.client, { device }), await ask(operator.client, { device })]
    expect(await outcome(approve(client, one))).toBe(answer)
    expect(await outcome(deny(client, other))).toBe(answer)
    // Whoever may not decide does not see it, either.
    expect(await listed(client)).toHaveLength(role === 'administrator' ? 2 : 0)
    expect(await outcome(end(client, one))).toBe(role === 'administrator' ? '200' : '404 NOT_FOUND')
  })

  it('is decided by somebody else, also of an owner', async () => {
    const administrator = await memberOf(server, owner, 'administrator')
    const [of, ofOwner] = [await ask(administrator.client, { device }), await ask(owner.client, { device })]
    for (const [client, request] of [
      [administrator.client, of],
      [owner.client, ofOwner],
    ] as const) {
      expect(await outcome(approve(client, request))).toBe('403 OWN_ACCESS_REQUEST')
      expect(await outcome(deny(client, request))).toBe('403 OWN_ACCESS_REQUEST')
    }
    expect((await approve(administrator.client, ofOwner)).state).toBe('active')
  })

  it('is approved by the database for nobody who asks', async () => {
    const { id } = await ask(operator.client, { device })
    const change = server.database
      .system()
      .updateTable('access_requests')
      .set({ state: 'approved', decided_by: operator.person.id, expires_at: new Date() })
      .where('id', '=', id)
    await expect(change.execute()).rejects.toThrow('nobody_approves_their_own_access')
  })

  it('is neither seen nor decided nor made from another namespace', async () => {
    const request = await ask(operator.client, { device })
    const stranger = await server.addPerson(`stranger-${number}`)
    const { client } = stranger
    expect(await listed(client)).toEqual([])
    for (const call of [approve, deny, end]) expect(await outcome(call(client, request))).toBe('404 NOT_FOUND')
    expect(await outcome(ask(client, { device }))).toBe('404 NOT_FOUND device')
    // A member of both who is signed in to another one reaches this one only.
    expect(await outcome(end(operator.person.client, request))).toBe('404 NOT_FOUND')
  })

  it('is for people: API keys neither ask nor decide', async () => {
    const { id } = await ask(operator.client, { device })
    const { body: key } = await owner.client.call(apiKeys.create, { body: { name: 'deploy', expires_at: 30 } })
    const headers = { 'x-api-key': key.id, 'content-type': 'application/json' }
    const call = async (path: string, body: object) =>
      (await server.fetch(`/api/access-requests${path}`, { method: 'POST', headers, body: JSON.stringify(body) }))
        .status
    expect(await call('', { device, accounts: ['root'], minutes: 60, reason: 'x' })).toBe(403)
    expect(await call(`/${id}/approve`, {})).toBe(403)
  })

  it('is decided once, also by two at the same moment', async () => {
    const { client } = await memberOf(server, owner, 'administrator')
    for (let round = 0; round < 5; round += 1) {
      const one = await memberOf(server, owner, 'observer')
      const request = await ask(one.client, { device })
      const answers = await Promise.all([outcome(approve(owner.client, request)), outcome(deny(client, request))])
      expect(answers.toSorted()).toEqual(['200', '409 ACCESS_REQUEST_STATE'])
    }
  })

  it('is approved for its time or a shorter one', async () => {
    const one = await ask(operator.client, { device })
    expect(await outcome(approve(owner.client, one, 90))).toBe('400 INVALID_INPUT minutes')
    const now = clock.now()
    expect(await approve(owner.client, one, 15)).toMatchObject({
      state: 'active',
      minutes: 15,
      expires_at: new Date(now + 15 * 60_000).toISOString(),
      decided_by: { name: owner.username },
    })
    clock.advance(15 * 60_000)
    expect(await stateOf(one.id)).toBe('expired')
    expect(await outcome(end(owner.client, one))).toBe('409 ACCESS_REQUEST_STATE')
    expect(await outcome(approve(owner.client, one))).toBe('409 ACCESS_REQUEST_STATE')
  })

  it('is unanswered after a day', async () => {
    const one = await ask(operator.client, { device })
    clock.advance(24 * HOUR_MS)
    expect(await stateOf(one.id)).toBe('unanswered')
    const client = await renewed(owner)
    expect(await outcome(approve(client, one))).toBe('409 ACCESS_REQUEST_STATE')
  })

  it('is withdrawn, and its access ended, by its person; approvers end access, too', async () => {
    const [one, two, three] = [
      await ask(operator.client, { device }),
      await ask(operator.client, { device }),
      await ask(operator.client, { device }),
    ]
    expect((await end(operator.client, one)).state).toBe('withdrawn')
    await approve(owner.client, two)
    expect((await end(operator.client, two)).state).toBe('ended')
    expect(await outcome(end(owner.client, three))).toBe('409 ACCESS_REQUEST_STATE')
    await approve(owner.client, three)
    expect(await end(owner.client, three)).toMatchObject({ state: 'ended', ended_by: { name: owner.username } })
  })

  it('is listed by state, newest first', async () => {
    const made = []
    for (let count = 0; count < 3; count += 1) {
      clock.advance(1)
      made.push((await ask(operator.client, { device })).id)
    }
    const [first = '', second = '', third = ''] = made
    await deny(owner.client, { id: first }, 'use the other one')
    await approve(owner.client, { id: second })
    const ids = async (query: object) => (await listed(operator.client, query)).map(({ id }) => id)
    expect(await ids({})).toEqual([third, second, first])
    expect(await ids({ state: 'pending' })).toEqual([third])
    expect(await ids({ state: 'active' })).toEqual([second])
    expect(await ids({ state: 'past' })).toEqual([first])
    expect((await listed(operator.client, { state: 'past' }))[0]?.note).toBe('use the other one')
    expect(await listed(owner.client, { of: 'me' })).toEqual([])
  })

  it('stands in the audit log with its reason, decision and end', async () => {
    const [one, two] = [await ask(operator.client, { device }), await ask(operator.client, { device })]
    await approve(owner.client, one)
    await deny(owner.client, two, 'no')
    await end(owner.client, one)
    expect((await logged()).map(({ action, target, details }) => [action, target, details['reason']])).toEqual([
      ['access-request.end', one.id, 'the disk is full'],
      ['access-request.deny', two.id, 'the disk is full'],
      ['access-request.approve', one.id, 'the disk is full'],
      ['access-request.create', two.id, 'the disk is full'],
      ['access-request.create', one.id, 'the disk is full'],
    ])
  })

  it('has its expiry in the audit log once', async () => {
    const one = await ask(operator.client, { device })
    await approve(owner.client, one)
    clock.advance(HOUR_MS)
    clock.advance(HOUR_MS)
    await expect
      .poll(async () => (await logged()).map(({ action }) => action))
      .toEqual(['access-request.expire', 'access-request.approve', 'access-request.create'])
  })
})

describe('mails about a request', () => {
  const mailed = async () => {
    const mails = server.database.system().selectFrom('mails').select(['kind', 'recipient'])
    const rows = await mails.where('kind', 'in', ['access-requested', 'access-decided']).orderBy('created_at').execute()
    const people = new Map<string, string>([
      [owner.auth.email, 'owner'],
      [operator.person.auth.email, 'operator'],
    ])
    return rows.flatMap(({ kind, recipient }) => {
      const who = people.get(recipient)
      return who === undefined ? [] : [`${kind} ${who}`]
    })
  }

  it('go to whoever may decide, and to the requester once somebody has', async () => {
    const [one, two] = [await ask(operator.client, { device }), await ask(operator.client, { device })]
    expect(await mailed()).toEqual(['access-requested owner', 'access-requested owner'])
    await approve(owner.client, one)
    await deny(owner.client, two, 'no')
    await end(owner.client, one)
    const told = ['access-decided operator', 'access-decided operator', 'access-decided operator']
    expect((await mailed()).toSorted()).toEqual([...told, 'access-requested owner', 'access-requested owner'])
  })

  it('are some of a member’s within a day: one alone must not use up those of the namespace', async () => {
    const { mailedPerDay } = LIMITS.accessRequests
    for (let count = 0; count <= mailedPerDay; count += 1)
      await end(operator.client, await ask(operator.client, { device }))
    expect(await mailed()).toHaveLength(mailedPerDay)
  })

  it('do not go to the person who asks', async () => {
    await ask(owner.client, { device })
    expect(await mailed()).toEqual([])
  })
})

describe('what a request may ask', () => {
  it.each([
    ['neither a device nor a tag', { device: undefined }, '400 INVALID_INPUT device'],
    ['both', { tag: 'kiosk' }, '400 INVALID_INPUT device'],
    ['an unknown device', { device: 'f'.repeat(64) }, '404 NOT_FOUND device'],
    ['a tag of no device', { device: undefined, tag: 'unused' }, '404 NOT_FOUND tag'],
    ['no account', { accounts: [] }, '400 INVALID_INPUT accounts'],
    ['an account twice', { accounts: ['root', 'root'] }, '400 INVALID_INPUT accounts'],
    ['too many accounts', { accounts: 'abcdefghi'.split('') }, '400 INVALID_INPUT accounts'],
    ['too little time', { minutes: 14 }, '400 INVALID_INPUT minutes'],
    ['more than the namespace allows', { minutes: 8 * 60 + 1 }, '400 INVALID_INPUT minutes'],
    ['no reason', { reason: ' ' }, '400 INVALID_INPUT reason'],
    ['a reason of nothing visible', { reason: '\u200b\u2060\u00ad' }, '400 INVALID_INPUT reason'],
    ['a reason that is too long', { reason: 'x'.repeat(501) }, '400 INVALID_INPUT reason'],
    ['a reason with an escape sequence', { reason: 'a\u001B[2J' }, '400 INVALID_INPUT reason'],
  ])('is not %s', async (_, values, expected) => {
    expect(await outcome(ask(operator.client, { device, ...values }))).toBe(expected)
  })

  it('is not a device that waits for acceptance', async () => {
    const { uid } = await server.registerDevice(owner.tenant)
    expect(await outcome(ask(operator.client, { device: uid }))).toBe('404 NOT_FOUND device')
  })

  it('is bounded per person, also where many ask at once', async () => {
    const { perPerson, perDay } = LIMITS.accessRequests
    const answers = await Promise.all(Array.from({ length: 8 }, () => outcome(ask(operator.client, { device }))))
    expect(answers.filter((answer) => answer === '200')).toHaveLength(perPerson)
    expect(new Set(answers)).toEqual(new Set(['200', '403 ACCESS_REQUEST_LIMIT']))
    for (const request of await listed(operator.client)) await end(operator.client, request)
    for (let count = perPerson; count < perDay; count += 1)
      await end(operator.client, await ask(operator.client, { device }))
    expect(await outcome(ask(operator.client, { device }))).toBe('403 ACCESS_REQUEST_LIMIT')
  })
})

describe('the setting of a namespace', () => {
  it('bounds the time, of what is approved later, too', async () => {
    const one = await ask(operator.client, { device, minutes: 240 })
    await settings({ access_request_hours: 1 })
    expect(await outcome(ask(operator.client, { device, minutes: 61 }))).toBe('400 INVALID_INPUT minutes')
    expect(await outcome(approve(owner.client, one, 240))).toBe('400 INVALID_INPUT minutes')
    expect((await approve(owner.client, one)).minutes).toBe(60)
    expect(await outcome(settings({ access_request_hours: 169 }))).toBe(
      '400 INVALID_INPUT settings.access_request_hours',
    )
  })

  it('switches requests off, which ends those that are open for good', async () => {
    const [one, two] = [await ask(operator.client, { device }), await ask(operator.client, { device })]
    await approve(owner.client, one)
    await settings({ access_requests: false })
    expect(await outcome(ask(operator.client, { device }))).toBe('403 ACCESS_REQUESTS_OFF')
    await settings({ access_requests: true })
    expect([await stateOf(one.id), await stateOf(two.id)]).toEqual(['ended', 'withdrawn'])
  })
})

describe('the device of a request', () => {
  const params = () => ({ uid: device as DeviceUid })

  it('is named as it is when somebody decides', async () => {
    const asked = await ask(operator.client, { device })
    await owner.client.call(devices.rename, { params: params(), body: { name: 'the-real-name' } })
    expect((await listed(owner.client))[0]?.device?.name).toBe('the-real-name')
    expect((await approve(owner.client, asked)).device?.name).toBe('the-real-name')
  })

  it('takes its requests with it', async () => {
    const [asked, active] = [await ask(operator.client, { device }), await ask(operator.client, { device })]
    await approve(owner.client, active)
    await owner.client.call(devices.remove, { params: params() })
    expect([await stateOf(asked.id), await stateOf(active.id)]).toEqual(['withdrawn', 'ended'])
    expect(await outcome(approve(owner.client, asked))).toBe('409 ACCESS_REQUEST_STATE')
    expect(await listed(owner.client, { state: 'pending' })).toEqual([])
    expect(await listed(owner.client, { state: 'active' })).toEqual([])
  })
})

describe('a member whose account is disabled', () => {
  it('is granted nothing', async () => {
    const asked = await ask(operator.client, { device })
    const disabled = { status: 'disabled' as const, disabled_at: new Date() }
    const users = server.database.system().updateTable('users')
    await users.set(disabled).where('id', '=', operator.person.id).execute()
    expect(await outcome(approve(owner.client, asked))).toBe('404 NOT_FOUND')
  })
})

describe('a member who leaves', () => {
  it('has no requests any more, also when they join again', async () => {
    const [one, two] = [await ask(operator.client, { device }), await ask(operator.client, { device })]
    await approve(owner.client, one)
    const params = { tenant: owner.tenant, uid: operator.person.id }
    await owner.client.call(operations.members.remove, { params })
    await server.addMember(owner.tenant, operator.person.id, 'operator')
    expect([await stateOf(one.id), await stateOf(two.id)]).toEqual(['ended', 'withdrawn'])
  })
})

describe('a tag of an approved request', () => {
  const tagged = (client: Person['client'], uid: string, tags: string[]) =>
    outcome(client.call(devices.setTags, { params: { uid }, body: { tags } }))

  it('is put on devices, and taken off, by those only who may edit the firewall', async () => {
    await tagged(owner.client, device, ['kiosk'])
    const { uid } = await server.acceptedDevice(owner)
    const one = await ask(operator.client, { tag: 'kiosk' })
    expect(await tagged(operator.client, uid, ['kiosk'])).toBe('200')
    expect(await tagged(operator.client, uid, [])).toBe('200')
    await approve(owner.client, one)
    expect(await tagged(operator.client, uid, ['kiosk'])).toBe('403 POLICY_CHANGE')
    expect(await tagged(operator.client, device, [])).toBe('403 POLICY_CHANGE')
    expect(await tagged(owner.client, uid, ['kiosk'])).toBe('200')
  })

  it('is renamed with it, and its removal ends it, by those only who may edit the firewall', async () => {
    await tagged(owner.client, device, ['kiosk', 'other'])
    const [one, two] = [await ask(operator.client, { tag: 'kiosk' }), await ask(operator.client, { tag: 'kiosk' })]
    await approve(owner.client, one)
    const rename = (client: Person['client'], from: string, tag: string) =>
      outcome(client.call(operations.tags.rename, { params: { tag: from }, body: { tag } }))
    expect(await rename(operator.client, 'kiosk', 'booth')).toBe('403 POLICY_CHANGE')
    expect(await rename(owner.client, 'kiosk', 'booth')).toBe('200')
    expect((await listed(owner.client)).map(({ tag }) => tag)).toEqual(['booth', 'booth'])
    // No device has it any more: giving another tag its name would widen the access.
    await tagged(owner.client, device, ['other'])
    expect(await rename(operator.client, 'other', 'booth')).toBe('403 POLICY_CHANGE')
    expect(await rename(owner.client, 'other', 'booth')).toBe('200')
    await owner.client.call(operations.tags.remove, { params: { tag: 'booth' } })
    expect([await stateOf(one.id), await stateOf(two.id)]).toEqual(['ended', 'withdrawn'])
  })
})

it('a device that is gone leaves its name in the history', async () => {
  const one = await ask(operator.client, { device })
  await owner.client.call(devices.remove, { params: { uid: device } })
  expect((await listed(owner.client))[0]).toMatchObject({ id: one.id, device: { uid: null } })
})

/** A client whose token the clock has not outrun. */
const renewed = (person: Person) => signedInTo(server, owner, person)
