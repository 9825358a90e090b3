// Alert rules on a whole server: what happens to devices leads to messages at real receivers.
import { createHmac } from 'node:crypto'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { Role } from '@bowline/contract/roles'
import { until } from '@bowline/testkit/until'
import { type KyselyPlugin, sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createMailQueue } from '../mails/queue.ts'
import { type TestSmtp, startSmtp } from '../mails/testing/smtp.ts'
import { randomIds } from '../platform/ids.ts'
import type { Log } from '../platform/log.ts'
import { nowhere } from '../platform/positions.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { type BootedServer, type Client, type Person, bootServer, outcome } from '../testing/boot.ts'
import type { TenantContext } from '../context.ts'
import { type AlertEvaluator, createAlertEvaluator } from './evaluation.ts'
import { type Receiver, startReceiver } from './testing.ts'

const { alerts, auth } = operations

let server: BootedServer
let smtp: TestSmtp
let receiver: Receiver
let clock: ManualClock
let person: Person
let logged: string[] = []
const note = (ev: string, fields?: object) => void logged.push(JSON.stringify({ ev, ...fields }))
const log: Log = { debug: note, info: note, warn: note, error: note, child: () => log }
beforeAll(async () => {
  clock = new ManualClock(Date.now())
  smtp = await startSmtp({ hideSTARTTLS: true })
  receiver = await startReceiver()
  server = await bootServer({
    clock,
    log,
    settings: {
      BOWLINE_EGRESS_ALLOWED: '127.0.0.0/8',
      BOWLINE_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      BOWLINE_SMTP_FROM: 'Bowline <bowline@example.com>',
      BOWLINE_SMTP_STARTTLS: 'off',
      BOWLINE_PUBLIC_URL: 'https://bowline.example.com',
    },
  })
  person = await server.setUpAccount()
})
afterAll(async () => {
  await server.close()
  await receiver.close()
  await smtp.close()
})
beforeEach(async () => {
  await system().deleteFrom('alert_rules').execute()
  await system().deleteFrom('devices').execute()
  receiver.messages.length = 0
  smtp.mails.length = 0
  logged = []
  // The limit of test messages is full again.
  clock.advance(120_000)
})

const system = () => server.database.system()
const webhook = { name: 'Kiosks', condition: 'offline', minutes: 5, target: 'webhook' } as const
const create = async (values: object = {}, client: Client = person.client) =>
  (await client.call(alerts.create, { body: { ...webhook, url: `${receiver.url}/hook?key=confidential`, ...values } }))
    .body
const rules = async () => (await person.client.call(alerts.list, {})).body
const deliveriesOf = async (id: string) =>
  (await person.client.call(alerts.deliveries, { params: { id }, query: {} })).body

/** Devices that have just gone offline, one after the other. */
async function depart(
  count: number,
  { over = 0, tags = [] as string[], cause = 'network:keepalive', tenant = person.tenant } = {},
): Promise<void> {
  const prefix = String(Math.random())
  await sql`with made as (
      insert into devices (uid, tenant_id, name, public_key, status, disconnected_at, tags)
        select encode(sha256(convert_to(${prefix} || i, 'UTF8')), 'hex'), ${tenant}::uuid,
          'unit-' || left(md5(${prefix}), 16) || '-' || lpad(i::text, 4, '0'), 'key', 'accepted', now(), ${tags}
        from generate_series(1, ${count}::int) i returning uid)
    insert into presence_spans (tenant_id, device_uid, started_at, ended_at, noted_at, cause)
      select ${tenant}::uuid, uid, now() - interval '5 hours', at, at, ${cause}
        from (select uid, now() - make_interval(secs => ${over}::float8 * row_number() over () / ${count}::int) as at
          from made) departed`.execute(system())
}
/** Makes everything so much older. */
async function pass(seconds: number): Promise<void> {
  const ago = sql`make_interval(secs => ${seconds})`
  await sql`update presence_spans set started_at = started_at - ${ago}, ended_at = ended_at - ${ago},
    noted_at = noted_at - ${ago}`.execute(system())
  await sql`update alert_rules set evaluated_to = evaluated_to - ${ago}, fired_at = fired_at - ${ago},
    failing_since = failing_since - ${ago}`.execute(system())
  await sql`update alert_deliveries set created_at = created_at - ${ago}, due_at = due_at - ${ago},
    leased_until = leased_until - ${ago}`.execute(system())
}
/** All devices come back now. */
const comeBack = () =>
  sql`insert into presence_spans (tenant_id, device_uid, started_at)
    select distinct tenant_id, device_uid, now() from presence_spans`.execute(system())
const statements = { count: 0 }
const counting: KyselyPlugin = {
  transformQuery({ node }) {
    statements.count += 1
    return node
  },
  transformResult: ({ result }) => Promise.resolve(result),
}
let nodes: readonly AlertEvaluator[] | undefined
/** The job, awaited. Nodes that did it at once would write a message once all the same. */
async function evaluate(): Promise<void> {
  nodes ??= [evaluator(), evaluator()]
  await Promise.all(nodes.map((node) => node.evaluate()))
}
function evaluator(): AlertEvaluator {
  const secretKey = new SecretKey(server.secretKey)
  const contextOf = (tenant: TenantId): TenantContext => ({
    actor: { kind: 'system', name: 'alerts' },
    tenant,
    db: server.database.forTenant(tenant).withPlugin(counting),
    clock,
    log,
    edition: 'community',
    source: '',
    locate: nowhere,
    hasListeners: () => false,
    emit: () => undefined,
  })
  const mails = createMailQueue({
    clock,
    ids: randomIds,
    secretKey,
    publicOrigin: 'https://bowline.example.com',
    isSending: true,
  })
  const egress = { privateNetworks: true, allowed: () => true }
  const deps = { system: system().withPlugin(counting), clock, ids: randomIds, log, secretKey, egress, mails, contextOf }
  // The sender of the running server looks every two seconds.
  return createAlertEvaluator({ ...deps, wake: () => clock.advance(2_000) })
}
const settled = async (id: string, state: 'sent' | 'failed' = 'sent') => {
  await until(async () => (await deliveriesOf(id)).every((delivery) => delivery.state === state))
  return deliveriesOf(id)
}

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
    const [message, ...others] = await receiver.received(1)
    expect(others).toEqual([])
    expect(message?.path).toBe('/hook?key=confidential')
    const body = JSON.parse(message?.body ?? '')
    expect(body).toMatchObject({
      type: 'devices.offline',
      namespace: { id: person.tenant, name: person.namespace },
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
    clock.advance(15_000)
    await until(() => {
      clock.advance(2_000)
      return receiver.messages.length > 0
    })
    expect(JSON.parse(receiver.messages[0]?.body ?? '')).toMatchObject({ devices: { count: 1 } })
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

  it('is tried again, also by a later life of the server, until it takes the message', async () => {
    const { id } = await create()
    receiver.answer({ status: 500, body: 'internal secret of the receiver' }, { status: 503 })
    await person.client.call(alerts.test, { params: { id } })
    await receiver.received(1)
    await until(async () => (await deliveriesOf(id))[0]?.answer === 'It answered 500.')
    expect((await rules())[0]?.failing_since).not.toBeNull()
    expect(JSON.stringify(await deliveriesOf(id))).not.toContain('internal secret')
    // As after a crash while it was sent: the lease is still there, and runs out.
    await system()
      .updateTable('alert_deliveries')
      .set({ leased_until: sql<Date>`now() + interval '1 minute'`, due_at: sql<Date>`now()` })
      .execute()
    clock.advance(2_000)
    await pass(60)
    clock.advance(2_000)
    await receiver.received(2)
    await until(async () => (await deliveriesOf(id))[0]?.answer === 'It answered 503.')
    await pass(3_600)
    clock.advance(2_000)
    expect(await settled(id)).toMatchObject([{ state: 'sent', attempts: 3, test: true }])
    expect(receiver.messages.map(({ headers }) => headers['x-bowline-delivery'])).toEqual(
      Array.from({ length: 3 }, () => receiver.messages[0]?.headers['x-bowline-delivery']),
    )
    expect((await rules())[0]?.failing_since).toBeNull()
  })

  it('gives a message up whose address another key has sealed', async () => {
    const { id } = await create()
    await system()
      .updateTable('alert_rules')
      .set({ sealed_url: Buffer.from('sealed by another key') })
      .execute()
    await person.client.call(alerts.test, { params: { id } })
    expect(await settled(id, 'failed')).toMatchObject([
      { answer: expect.stringContaining('could not read the address') },
    ])
    expect(receiver.messages).toEqual([])
  })

  it('is switched off with a reason after a day without a success, and can be switched on again', async () => {
    const { id } = await create()
    receiver.answer({ status: 500 }, { status: 404 })
    await person.client.call(alerts.test, { params: { id } })
    await until(async () => (await deliveriesOf(id))[0]?.answer === 'It answered 500.')
    await pass(25 * 3_600)
    clock.advance(2_000)
    await until(async () => (await rules())[0]?.active === false)
    expect(await rules()).toMatchObject([{ active: false, disabled_reason: 'It answered 404.' }])
    const { body: entries } = await person.client.call(operations.audit.list, { query: {} })
    await until(async () =>
      (await person.client.call(operations.audit.list, { query: {} })).body.some(
        ({ action }) => action === 'alert-rule.disable',
      ),
    )
    expect(JSON.stringify(entries)).not.toContain('confidential')
    await person.client.call(alerts.update, { params: { id }, body: { active: true } })
    expect(await rules()).toMatchObject([{ active: true, disabled_reason: null, failing_since: null }])
  })
})

describe('Slack and mail', () => {
  it('sends Slack its format, in which a name cannot write markup', async () => {
    const { id, secret } = await create({ target: 'slack', name: '<!channel> & *co*' })
    expect(secret).toBeNull()
    await person.client.call(alerts.test, { params: { id } })
    const [message] = await receiver.received(1)
    expect(message?.headers).not.toHaveProperty('x-bowline-signature')
    expect(JSON.parse(message?.body ?? '')).toEqual({
      text: '*&lt;!channel&gt; &amp; ∗co∗*\nThis is a test message. The alert rule works.\n<https://bowline.example.com/incidents|Open Bowline>',
    })
  })

  it('mails the members that it names, and none who has left', async () => {
    const other = await server.addPerson('grace')
    await server.addMember(person.tenant, other.id, 'observer')
    const { id } = await create({ target: 'mail', url: null, recipients: [person.id, other.id] })
    await depart(2)
    await pass(6 * 60)
    await evaluate()
    clock.advance(1_000)
    const mails = await smtp.received(2)
    expect(mails.map(({ parsed }) => parsed.subject)).toEqual([
      `${person.namespace}: Kiosks`,
      `${person.namespace}: Kiosks`,
    ])
    expect(mails[0]?.parsed.text).toContain('2 devices have been offline for 5 minutes')
    expect(await settled(id)).toMatchObject([{ answer: '2 mails' }])
    await server.removeMember(person.tenant, other.id)
    await person.client.call(alerts.test, { params: { id } })
    expect((await deliveriesOf(id))[0]).toMatchObject({ state: 'sent', answer: '1 mail' })
  })

  it('writes to no strangers', async () => {
    const stranger = await server.addPerson('stranger')
    const body = { target: 'mail', url: null }
    expect(await outcome(create({ ...body, recipients: [stranger.id] }))).toBe('400 INVALID_INPUT recipients')
    expect(await outcome(create(body))).toBe('400 INVALID_INPUT recipients')
  })
})

describe('rules of a filter', () => {
  const filterOf = (name: string, operator: string, value: unknown) =>
    Buffer.from(JSON.stringify([{ type: 'property', params: { name, operator, value } }])).toString('base64')

  it('are about the devices that the same filter of the device list finds', async () => {
    await depart(2, { tags: ['kiosk'] })
    await depart(1)
    await system()
      .updateTable('devices')
      .set({ note: 'Behind the false wall.', name: 'hidden' })
      .where('tags', '=', sql<string[]>`'{}'`)
      .execute()
    const noted = await create({ filter: filterOf('words', 'contains', 'false wall') })
    const tagged = await create({ filter: filterOf('tags', 'contains', ['kiosk']) })
    const both = await create({ filter: filterOf('name', 'eq', 'hidden'), tags: ['kiosk'] })
    await pass(6 * 60)
    await evaluate()
    expect(await settled(noted.id)).toMatchObject([{ text: 'hidden has been offline for 5 minutes.' }])
    expect(await settled(tagged.id)).toMatchObject([{ text: expect.stringMatching(/^2 devices have been offline/) }])
    expect(await deliveriesOf(both.id)).toEqual([])
  })

  it('are refused when the device list would refuse the filter', async () => {
    expect(await outcome(create({ filter: filterOf('colour', 'eq', 'red') }))).toBe('400 INVALID_FILTER filter')
    const { id } = await create()
    const body = { filter: filterOf('online', 'eq', 'perhaps') }
    expect(await outcome(person.client.call(alerts.update, { params: { id }, body }))).toBe('400 INVALID_FILTER filter')
  })

  it('do not keep other rules from being evaluated when a later version has made their filter', async () => {
    const broken = await create()
    const { id } = await create()
    await system()
      .updateTable('alert_rules')
      .set({ filter: filterOf('later', 'eq', 'x') })
      .where('id', '=', broken.id)
      .execute()
    await depart(1)
    await pass(6 * 60)
    await evaluate()
    expect(await settled(id)).toHaveLength(1)
    expect(logged.some((line) => line.includes('alerts.error') && line.includes(broken.id))).toBe(true)
  })
})

describe('an evaluation', () => {
  it('is one statement for all rules while nothing happens', async () => {
    for (let count = 0; count < 5; count += 1)
      for (const condition of ['offline', 'back']) await create({ condition })
    for (let count = 0; count < 5; count += 1) await create({ condition: 'many-offline', devices: 5 })
    statements.count = 0
    await evaluate()
    // One by each of the two nodes.
    expect(statements.count).toBe(2)
  })

  it('reads rules about many devices again only when more has happened', async () => {
    const { id } = await create({ condition: 'many-offline', minutes: 60, devices: 3 })
    await depart(2)
    await pass(60)
    await evaluate()
    statements.count = 0
    await evaluate()
    expect(statements.count).toBe(2)
    await depart(1)
    await pass(20)
    await evaluate()
    expect(await settled(id)).toMatchObject([{ text: expect.stringMatching(/^3 devices went offline within 60/) }])
  })

  it('tells one namespace while the rules of another are held', async () => {
    const others = await server.addPerson('heldby')
    const [held, free] = [person, others].toSorted((a, b) => (a.tenant < b.tenant ? -1 : 1))
    if (!held || !free) throw new Error('no namespaces')
    const ids = [await create({}, held.client), await create({}, free.client)].map(({ id }) => id)
    await depart(1, { tenant: held.tenant })
    await depart(1, { tenant: free.tenant })
    await pass(6 * 60)
    const told = async () => (await system().selectFrom('alert_deliveries').select('rule_id').execute()).map((row) => row.rule_id)
    let passes: Promise<void> | undefined
    await system()
      .transaction()
      .execute(async (holder) => {
        await holder
          .selectFrom('alert_rules')
          .select('id')
          .where('id', '=', ids[0] ?? '')
          .forUpdate()
          .execute()
        passes = evaluate()
        await until(async () => (await told()).length > 0)
        expect(await told()).toEqual([ids[1]])
      })
    await passes
    await evaluate()
    expect((await told()).toSorted()).toEqual(ids.toSorted())
  })
})

describe('a rule that is switched off', () => {
  it('cancels the messages that wait, and sends its tests', async () => {
    const { id } = await create()
    receiver.answer({ status: 500 })
    await depart(1)
    await pass(6 * 60)
    await evaluate()
    await until(async () => (await deliveriesOf(id))[0]?.answer === 'It answered 500.')
    await person.client.call(alerts.update, { params: { id }, body: { active: false } })
    const cancelled = { state: 'cancelled', answer: 'The rule was switched off.', due_at: null }
    expect(await deliveriesOf(id)).toMatchObject([cancelled])
    await pass(3_600)
    await person.client.call(alerts.test, { params: { id } })
    await receiver.received(2)
    expect(JSON.parse(receiver.messages[1]?.body ?? '')).toMatchObject({ type: 'test' })
    await person.client.call(alerts.update, { params: { id }, body: { active: true } })
    await until(async () => (await deliveriesOf(id))[0]?.state === 'sent')
    expect(await deliveriesOf(id)).toMatchObject([{ test: true }, cancelled])
    expect(receiver.messages).toHaveLength(2)
  })

  it('sends nothing that another server has left behind', async () => {
    const { id } = await create()
    receiver.answer({ status: 500 })
    await depart(1)
    await pass(6 * 60)
    await evaluate()
    await until(async () => (await deliveriesOf(id))[0]?.answer === 'It answered 500.')
    await system().updateTable('alert_rules').set({ active: false }).execute()
    await pass(3_600)
    clock.advance(2_000)
    await person.client.call(alerts.test, { params: { id } })
    await receiver.received(2)
    expect(JSON.parse(receiver.messages[1]?.body ?? '')).toMatchObject({ type: 'test' })
    await person.client.call(alerts.update, { params: { id }, body: { active: true } })
    expect((await deliveriesOf(id)).map(({ state }) => state)).toContain('cancelled')
  })
})

describe('mails of noisy rules', () => {
  it('use up the share of their namespace alone, and say so in the last one and at the rule', async () => {
    const others = await server.addPerson('calm')
    await server.addMember(others.tenant, person.id, 'observer')
    const mailed = { target: 'mail', url: null, recipients: [person.id] }
    const { id } = await create(mailed)
    const calm = await create(mailed, others.client)
    const counted = { category: 'alert', since: new Date(clock.now()) }
    await system().deleteFrom('mail_counts').execute()
    await system()
      .insertInto('mail_counts')
      .values({ ...counted, counted: `to:ada@example.com of:${person.tenant}`, mails: 59 })
      .execute()
    const send = async (rule: string, client: Client) =>
      (await client.call(alerts.test, { params: { id: rule } })).body
    expect(await send(id, person.client)).toMatchObject({ state: 'sent', answer: '1 mail' })
    expect(await send(id, person.client)).toMatchObject({
      state: 'failed',
      answer: 'Not mailed: its recipients have reached the limit of mails within an hour.',
    })
    expect(await send(calm.id, others.client)).toMatchObject({ state: 'sent', answer: '1 mail' })
    clock.advance(1_000)
    const mails = await smtp.received(2)
    const texts = mails.map(({ parsed }) => parsed.text ?? '')
    expect(texts.filter((text) => text.includes('Further alerts of this hour are not mailed to you'))).toHaveLength(1)
  })
})

describe('what others can cause', () => {
  it.each(['observer', 'operator'] as const)('lets an %s neither see, make nor test rules', async (role: Role) => {
    const { id } = await create()
    const member = await server.addPerson(`a-${role}`)
    await server.addMember(person.tenant, member.id, role)
    const { token } = (await member.client.call(auth.switchNamespace, { params: { tenant: person.tenant } })).body
    const client = server.client(token)
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
    const all = (await person.client.call(alerts.deliveries, { params: { id }, query: { per_page: '100' } })).body
    expect(all.length).toBeLessThanOrEqual(20)
    expect(all.length).toBeGreaterThan(10)
  })

  it('sends no more than ten tests at once', async () => {
    const { id } = await create()
    const results = []
    for (let time = 0; time < 12; time += 1)
      results.push(await outcome(person.client.call(alerts.test, { params: { id } })))
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
    receiver.answer({ status: 302, headers: { location: `${receiver.url}/elsewhere` } })
    await person.client.call(alerts.test, { params: { id } })
    await until(async () => (await deliveriesOf(id))[0]?.answer === 'It answered 302.')
    expect(receiver.messages.map(({ path }) => path)).toEqual(['/hook?key=confidential'])
    receiver.answer({ status: 200, body: 'x'.repeat(1_000_000) })
    await pass(3_600)
    clock.advance(2_000)
    await until(async () => (await deliveriesOf(id))[0]?.answer.includes('larger than'))
    expect(await deliveriesOf(id)).toMatchObject([{ state: 'queued', attempts: 2 }])
  })

  it('are shown, logged and audited by their host alone, and the secret once', async () => {
    const { id, secret } = await create()
    await person.client.call(alerts.test, { params: { id } })
    await settled(id)
    await person.client.call(alerts.update, { params: { id }, body: { url: `${receiver.url}/other?key=confidential` } })
    const { body: renewed } = await person.client.call(alerts.renewSecret, { params: { id } })
    const { body: entries } = await person.client.call(operations.audit.list, { query: {} })
    const told = JSON.stringify([await rules(), await deliveriesOf(id), entries, logged])
    expect(await rules()).toMatchObject([{ host: new URL(receiver.url).host }])
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
