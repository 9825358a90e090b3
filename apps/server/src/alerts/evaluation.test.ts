// What an evaluation of alert rules reads, what it is about, and what is not sent.
import { operations } from '@bowline/contract/operations'
import { until } from '@bowline/testkit/until'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { type Client, outcome } from '../testing/boot.ts'
import { alertsWorld } from './testing-world.ts'

const { alerts } = operations

const world = alertsWorld()
const { statements, system, create, deliveriesOf, depart, pass, evaluate, settled } = world

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
    const others = await create({ filter: filterOf('note', 'ncontains', 'wall') })
    const tagged = await create({ filter: filterOf('tags', 'contains', ['kiosk']) })
    const both = await create({ filter: filterOf('name', 'eq', 'hidden'), tags: ['kiosk'] })
    await pass(6 * 60)
    await evaluate()
    expect(await settled(noted.id)).toMatchObject([{ text: 'hidden has been offline for 5 minutes.' }])
    expect(await settled(others.id)).toMatchObject([{ text: expect.stringMatching(/^2 devices have been offline/) }])
    expect(await settled(tagged.id)).toMatchObject([{ text: expect.stringMatching(/^2 devices have been offline/) }])
    expect(await deliveriesOf(both.id)).toEqual([])
  })

  it('are refused when the device list would refuse the filter', async () => {
    expect(await outcome(create({ filter: filterOf('colour', 'eq', 'red') }))).toBe('400 INVALID_FILTER filter')
    const { id } = await create()
    const body = { filter: filterOf('online', 'eq', 'perhaps') }
    expect(await outcome(world.person.client.call(alerts.update, { params: { id }, body }))).toBe(
      '400 INVALID_FILTER filter',
    )
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
    expect(world.logged.some((line) => line.includes('alerts.error') && line.includes(broken.id))).toBe(true)
  })
})

describe('an evaluation', () => {
  it('is one statement for all rules while nothing happens', async () => {
    for (let count = 0; count < 5; count += 1) for (const condition of ['offline', 'back']) await create({ condition })
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
    const others = await world.server.addPerson('heldby')
    const [held, free] = [world.person, others].toSorted((a, b) => (a.tenant < b.tenant ? -1 : 1))
    if (!held || !free) throw new Error('no namespaces')
    const ids = [await create({}, held.client), await create({}, free.client)].map(({ id }) => id)
    await depart(1, { tenant: held.tenant })
    await depart(1, { tenant: free.tenant })
    await pass(6 * 60)
    const told = async () =>
      (await system().selectFrom('alert_deliveries').select('rule_id').execute()).map((row) => row.rule_id)
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
    world.receiver.answer({ status: 500 })
    await depart(1)
    await pass(6 * 60)
    await evaluate()
    await until(async () => (await deliveriesOf(id))[0]?.answer === 'It answered 500.')
    await world.person.client.call(alerts.update, { params: { id }, body: { active: false } })
    const cancelled = { state: 'cancelled', answer: 'The rule was switched off.', due_at: null }
    expect(await deliveriesOf(id)).toMatchObject([cancelled])
    await pass(3_600)
    await world.person.client.call(alerts.test, { params: { id } })
    await world.receiver.received(2)
    expect(JSON.parse(world.receiver.messages[1]?.body ?? '')).toMatchObject({ type: 'test' })
    await world.person.client.call(alerts.update, { params: { id }, body: { active: true } })
    await until(async () => (await deliveriesOf(id))[0]?.state === 'sent')
    expect(await deliveriesOf(id)).toMatchObject([{ test: true }, cancelled])
    expect(world.receiver.messages).toHaveLength(2)
  })

  it('sends nothing that another server has left behind', async () => {
    const { id } = await create()
    world.receiver.answer({ status: 500 })
    await depart(1)
    await pass(6 * 60)
    await evaluate()
    await until(async () => (await deliveriesOf(id))[0]?.answer === 'It answered 500.')
    await system().updateTable('alert_rules').set({ active: false }).execute()
    await pass(3_600)
    world.clock.advance(2_000)
    await world.person.client.call(alerts.test, { params: { id } })
    await world.receiver.received(2)
    expect(JSON.parse(world.receiver.messages[1]?.body ?? '')).toMatchObject({ type: 'test' })
    await world.person.client.call(alerts.update, { params: { id }, body: { active: true } })
    expect((await deliveriesOf(id)).map(({ state }) => state)).toContain('cancelled')
  })
})

describe('mails of noisy rules', () => {
  it('use up the share of their namespace alone, and say so in the last one and at the rule', async () => {
    const others = await world.server.addPerson('calm')
    await world.server.addMember(others.tenant, world.person.id, 'observer')
    const mailed = { target: 'mail', url: null, recipients: [world.person.id] }
    const { id } = await create(mailed)
    const calm = await create(mailed, others.client)
    const counted = { category: 'alert', since: new Date(world.clock.now()) }
    await system().deleteFrom('mail_counts').execute()
    await system()
      .insertInto('mail_counts')
      .values({ ...counted, counted: `to:ada@example.com of:${world.person.tenant}`, mails: 59 })
      .execute()
    const send = async (rule: string, client: Client) => (await client.call(alerts.test, { params: { id: rule } })).body
    expect(await send(id, world.person.client)).toMatchObject({ state: 'sent', answer: '1 mail' })
    expect(await send(id, world.person.client)).toMatchObject({
      state: 'failed',
      answer: 'Not mailed: its recipients have reached the limit of mails within an hour.',
    })
    expect(await send(calm.id, others.client)).toMatchObject({ state: 'sent', answer: '1 mail' })
    world.clock.advance(1_000)
    const mails = await world.smtp.received(2)
    const texts = mails.map(({ parsed }) => parsed.text ?? '')
    expect(texts.filter((text) => text.includes('You will receive no more alert e-mails this hour'))).toHaveLength(1)
  })
})
