// Alert rules on a whole server: what happens to devices leads to messages at real receivers.
import { createHmac } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import type { Role } from '@bowline/contract/roles'
import { until } from '@bowline/testkit/until'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { outcome } from '../testing/boot.ts'
import { alertsWorld } from './testing-world.ts'

const { alerts, auth } = operations

const world = alertsWorld()
const { system, create, rules, deliveriesOf, depart, pass, comeBack, evaluate, settled } = world

describe('a webhook', () => {
  it('gets one signed message for 640 devices that left in 4 s', async () => {
    const { id, secret } = await create()
    await depart(640, { over: 4 })
    await pass(4 * 60)
    await evaluate()
    expect(await deliveriesOf(id)).toEqual([])
    await pass(90)
    await evaluate()
    await evaluate()
    const [message, ...others] = await world.receiver.received(1)
    expect(others).toEqual([])
    expect(message?.path).toBe('/hook?key=confidential')
    const body = JSON.parse(message?.body ?? '')
    expect(body).toMatchObject({
      type: 'devices.offline',
      namespace: { id: world.person.tenant, name: world.person.namespace },
      rule: { id, name: 'Kiosks' },
      devices: { count: 640 },
      link: 'https://bowline.example.com/incidents',
    })
    expect(body.devices.names).toHaveLength(20)
    expect(body.text).toMatch(/^640 devices have been offline for 5 minutes: unit-.*, .* and 620 more\.$/)
    const [, at = '', signature] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(message?.headers['x-bowline-signature'])) ?? []
    expect(
      createHmac('sha256', secret ?? '')
        .update(`${at}.${message?.body}`)
        .digest('hex'),
    ).toBe(signature)
    expect(message?.headers['x-bowline-delivery']).toBe(body.id)
    expect(await settled(id)).toMatchObject([{ state: 'sent', attempts: 1, answer: 'It answered 200.', test: false }])
  })

  it('is told of devices with one of its tags only, and of none that came back in time', async () => {
    const { id } = await create({ tags: ['kiosk'] })
    await depart(1, { tags: ['kiosk', 'berlin'] })
    await depart(1, { tags: ['berlin'] })
    await pass(6 * 60)
    await evaluate()
    expect(await settled(id)).toMatchObject([
      { text: expect.stringMatching(/^unit-\S+ has been offline for 5 minutes\.$/) },
    ])
    await depart(3, { tags: ['kiosk'] })
    await pass(60)
    await comeBack()
    await pass(6 * 60)
    await evaluate()
    expect(await deliveriesOf(id)).toHaveLength(1)
  })

  it('is told of many devices at once, not of fewer, nor of a server that stops', async () => {
    const { id } = await create({ condition: 'many-offline', minutes: 10, devices: 10 })
    await depart(9)
    await depart(20, { cause: 'gateway:stopped' })
    await pass(60)
    await evaluate()
    expect(await deliveriesOf(id)).toEqual([])
    await depart(1)
    await pass(60)
    await evaluate()
    expect(await settled(id)).toMatchObject([
      { text: expect.stringMatching(/^10 devices went offline within 10 minutes/) },
    ])
    await pass(5 * 60)
    await evaluate()
    expect(await deliveriesOf(id)).toHaveLength(1)
  })

  it('is told by the job of the server itself', async () => {
    await create()
    await depart(1)
    await pass(6 * 60)
    world.clock.advance(15_000)
    await until(() => {
      world.clock.advance(2_000)
      return world.receiver.messages.length > 0
    })
    expect(JSON.parse(world.receiver.messages[0]?.body ?? '')).toMatchObject({ devices: { count: 1 } })
  })

  it('is told of devices that are back after a long absence', async () => {
    const { id } = await create({ condition: 'back' })
    await depart(2)
    await pass(10 * 60)
    await comeBack()
    await pass(60)
    await evaluate()
    expect(await settled(id)).toMatchObject([{ text: expect.stringMatching(/^2 devices are back online/) }])
  })

  it('is tried again, also by a later life of the world.server, until it takes the message', async () => {
    const { id } = await create()
    world.receiver.answer({ status: 500, body: 'internal secret of the receiver' }, { status: 503 })
    await world.person.client.call(alerts.test, { params: { id } })
    await world.receiver.received(1)
    await until(async () => (await deliveriesOf(id))[0]?.answer === 'It answered 500.')
    expect((await rules())[0]?.failing_since).not.toBeNull()
    expect(JSON.stringify(await deliveriesOf(id))).not.toContain('internal secret')
    // As after a crash while it was sent: the lease is still there, and runs out.
    await system()
      .updateTable('alert_deliveries')
      .set({ leased_until: sql<Date>`now() + interval '1 minute'`, due_at: sql<Date>`now()` })
      .execute()
    world.clock.advance(2_000)
    await pass(60)
    world.clock.advance(2_000)
    await world.receiver.received(2)
    await until(async () => (await deliveriesOf(id))[0]?.answer === 'It answered 503.')
    await pass(3_600)
    world.clock.advance(2_000)
    expect(await settled(id)).toMatchObject([{ state: 'sent', attempts: 3, test: true }])
    expect(world.receiver.messages.map(({ headers }) => headers['x-bowline-delivery'])).toEqual(
      Array.from({ length: 3 }, () => world.receiver.messages[0]?.headers['x-bowline-delivery']),
    )
    expect((await rules())[0]?.failing_since).toBeNull()
  })

  it('gives a message up whose address another key has sealed', async () => {
    const { id } = await create()
    await system()
      .updateTable('alert_rules')
      .set({ sealed_url: Buffer.from('sealed by another key') })
      .execute()
    await world.person.client.call(alerts.test, { params: { id } })
    expect(await settled(id, 'failed')).toMatchObject([
      { answer: expect.stringContaining('could not read the address') },
    ])
    expect(world.receiver.messages).toEqual([])
  })

  it('is switched off with a reason after a day without a success, and can be switched on again', async () => {
    const { id } = await create()
    world.receiver.answer({ status: 500 }, { status: 404 })
    await world.person.client.call(alerts.test, { params: { id } })
    await until(async () => (await deliveriesOf(id))[0]?.answer === 'It answered 500.')
    await pass(25 * 3_600)
    world.clock.advance(2_000)
    await until(async () => (await rules())[0]?.active === false)
    expect(await rules()).toMatchObject([{ active: false, disabled_reason: 'It answered 404.' }])
    const { body: entries } = await world.person.client.call(operations.audit.list, { query: {} })
    await until(async () =>
      (await world.person.client.call(operations.audit.list, { query: {} })).body.some(
        ({ action }) => action === 'alert-rule.disable',
      ),
    )
    expect(JSON.stringify(entries)).not.toContain('confidential')
    await world.person.client.call(alerts.update, { params: { id }, body: { active: true } })
    expect(await rules()).toMatchObject([{ active: true, disabled_reason: null, failing_since: null }])
  })
})

describe('Slack and mail', () => {
  it('sends Slack its format, in which a name cannot write markup', async () => {
    const { id, secret } = await create({ target: 'slack', name: '<!channel> & *co*' })
    expect(secret).toBeNull()
    await world.person.client.call(alerts.test, { params: { id } })
    const [message] = await world.receiver.received(1)
    expect(message?.headers).not.toHaveProperty('x-bowline-signature')
    expect(JSON.parse(message?.body ?? '')).toEqual({
      text: '*&lt;!channel&gt; &amp; ∗co∗*\nThis is a test message. The alert rule works.\n<https://bowline.example.com/incidents|Open Bowline>',
    })
  })

  it('mails the members that it names, and none who has left', async () => {
    const other = await world.server.addPerson('grace')
    await world.server.addMember(world.person.tenant, other.id, 'observer')
    const { id } = await create({ target: 'mail', url: null, recipients: [world.person.id, other.id] })
    await depart(2)
    await pass(6 * 60)
    await evaluate()
    world.clock.advance(1_000)
    const mails = await world.smtp.received(2)
    expect(mails.map(({ parsed }) => parsed.subject)).toEqual([
      `${world.person.namespace}: Kiosks`,
      `${world.person.namespace}: Kiosks`,
    ])
    expect(mails[0]?.parsed.text).toContain('2 devices have been offline for 5 minutes')
    expect(await settled(id)).toMatchObject([{ answer: '2 mails' }])
    await world.server.removeMember(world.person.tenant, other.id)
    await world.person.client.call(alerts.test, { params: { id } })
    expect((await deliveriesOf(id))[0]).toMatchObject({ state: 'sent', answer: '1 mail' })
  })

  it('writes to no strangers', async () => {
    const stranger = await world.server.addPerson('stranger')
    const body = { target: 'mail', url: null }
    expect(await outcome(create({ ...body, recipients: [stranger.id] }))).toBe('400 INVALID_INPUT recipients')
    expect(await outcome(create(body))).toBe('400 INVALID_INPUT recipients')
  })
})

describe('what others can cause', () => {
  it.each(['observer', 'operator'] as const)('lets an %s neither see, make nor test rules', async (role: Role) => {
    const { id } = await create()
    const member = await world.server.addPerson(`a-${role}`)
    await world.server.addMember(world.person.tenant, member.id, role)
    const { token } = (await member.client.call(auth.switchNamespace, { params: { tenant: world.person.tenant } })).body
    const client = world.server.client(token)
    const params = { id }
    expect(await outcome(client.call(alerts.list, {}))).toBe('403 FORBIDDEN')
    expect(await outcome(create({}, client))).toBe('403 FORBIDDEN')
    expect(await outcome(client.call(alerts.test, { params }))).toBe('403 FORBIDDEN')
    expect(await outcome(client.call(alerts.update, { params, body: { active: false } }))).toBe('403 FORBIDDEN')
    expect(await outcome(client.call(alerts.deliveries, { params, query: {} }))).toBe('403 FORBIDDEN')
    expect(await outcome(client.call(alerts.remove, { params }))).toBe('403 FORBIDDEN')
  })

  it('makes no message of a device that is tagged long after it left', async () => {
    const { id } = await create({ tags: ['kiosk'] })
    await depart(1)
    await pass(20 * 60)
    await evaluate()
    await system()
      .updateTable('alert_rules')
      .set({ evaluated_to: sql<Date>`now() - interval '1 minute'` })
      .execute()
    await system()
      .updateTable('devices')
      .set({ tags: ['kiosk'] })
      .execute()
    await evaluate()
    expect(await deliveriesOf(id)).toEqual([])
  })

  it('makes at most one message a minute and 20 an hour, however often devices come and go', async () => {
    const { id } = await create({ minutes: 1 })
    for (let time = 0; time < 25; time += 1) {
      await depart(2)
      await pass(90)
      await evaluate()
      await depart(2)
      await pass(1)
      await evaluate()
    }
    const all = (await world.person.client.call(alerts.deliveries, { params: { id }, query: { per_page: '100' } })).body
    expect(all.length).toBeLessThanOrEqual(20)
    expect(all.length).toBeGreaterThan(10)
  })

  it('sends no more than ten tests at once', async () => {
    const { id } = await create()
    const results = []
    for (let time = 0; time < 12; time += 1)
      results.push(await outcome(world.person.client.call(alerts.test, { params: { id } })))
    expect(results.filter((result) => result === '429 TOO_MANY_REQUESTS').length).toBeGreaterThan(0)
  })
})

describe('addresses that members type', () => {
  it.each([
    ['of a metadata service', 'http://169.254.169.254/latest/', '400 INVALID_INPUT url'],
    ['without TLS', 'http://10.1.2.3/', '400 INVALID_INPUT url'],
    ['as a number', 'https://2130706433/', null],
    ['of another kind', 'file:///etc/passwd', '400 INVALID_INPUT url'],
    ['with a password', 'https://a:b@203.0.113.7/', '400 INVALID_INPUT url'],
    ['of documentation', 'https://203.0.113.7/', '400 INVALID_INPUT url'],
    ['that nobody has', 'https://nowhere.invalid/', '400 INVALID_INPUT url'],
  ])('are refused: %s', async (_, url, expected) => {
    // 2130706433 is 127.0.0.1, which the operator of this server allows.
    expect(await outcome(create({ url }))).toBe(expected ?? '200')
  })

  it('follows no redirect, and keeps nothing of a large answer', async () => {
    const { id } = await create()
    world.receiver.answer({ status: 302, headers: { location: `${world.receiver.url}/elsewhere` } })
    await world.person.client.call(alerts.test, { params: { id } })
    await until(async () => (await deliveriesOf(id))[0]?.answer === 'It answered 302.')
    expect(world.receiver.messages.map(({ path }) => path)).toEqual(['/hook?key=confidential'])
    world.receiver.answer({ status: 200, body: 'x'.repeat(1_000_000) })
    await pass(3_600)
    world.clock.advance(2_000)
    await until(async () => (await deliveriesOf(id))[0]?.answer.includes('larger than'))
    expect(await deliveriesOf(id)).toMatchObject([{ state: 'queued', attempts: 2 }])
  })

  it('are shown, logged and audited by their host alone, and the secret once', async () => {
    const { id, secret } = await create()
    await world.person.client.call(alerts.test, { params: { id } })
    await settled(id)
    await world.person.client.call(alerts.update, {
      params: { id },
      body: { url: `${world.receiver.url}/other?key=confidential` },
    })
    const { body: renewed } = await world.person.client.call(alerts.renewSecret, { params: { id } })
    const { body: entries } = await world.person.client.call(operations.audit.list, { query: {} })
    const told = JSON.stringify([await rules(), await deliveriesOf(id), entries, world.logged])
    expect(await rules()).toMatchObject([{ host: new URL(world.receiver.url).host }])
    for (const word of ['confidential', String(secret), String(renewed.secret)]) expect(told).not.toContain(word)
    expect(entries.map(({ action }) => action)).toEqual(
      expect.arrayContaining(['alert-rule.create', 'alert-rule.test', 'alert-rule.update', 'alert-rule.renew-secret']),
    )
  })
})

it('allows 20 rules, and fields that belong together', async () => {
  expect(await outcome(create({ condition: 'many-offline' }))).toBe('400 INVALID_INPUT devices')
  expect(await outcome(create({ devices: 5 }))).toBe('400 INVALID_INPUT devices')
  expect(await outcome(create({ url: null }))).toBe('400 INVALID_INPUT url')
  for (let count = 0; count < 20; count += 1) await create({ name: `rule ${count}` })
  expect(await outcome(create())).toBe('403 NAMESPACE_FULL')
})
