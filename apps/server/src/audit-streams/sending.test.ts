// Audit streams on a real database, sent by two nodes to a real receiver.
import { createHmac } from 'node:crypto'
import type { TenantId } from '@bowline/contract/schemas/common'
import { until } from '@bowline/testkit/until'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from '../alerts/testing.ts'
import { audit } from '../audit/service.ts'
import type { Log } from '../platform/log.ts'
import type { StreamSender } from './sending.ts'
import { type StreamValues, type StreamWorld, streamWorld } from './testing.ts'

let tenant: TenantId
let receiver: Receiver
let world: StreamWorld
let nodes: StreamSender[] = []
let logged: string[] = []
const note = (ev: string, fields?: object) => void logged.push(JSON.stringify({ ev, ...fields }))
const log: Log = { debug: note, info: note, warn: note, error: note, child: () => log }

beforeAll(async () => {
  world = await streamWorld(log)
  tenant = await world.addNamespace()
  receiver = await startReceiver()
})
afterAll(async () => {
  await world.close()
  await receiver.close()
})
beforeEach(() => {
  receiver.messages.length = 0
  logged = []
  nodes = [startNode(), startNode()]
})
afterEach(async () => {
  await Promise.all(nodes.map((node) => node.stop()))
  await system().deleteFrom('audit_streams').execute()
})

const system = () => world.system
const startNode = (allowed = true) => world.startNode({ allowed })
const wake = () => nodes.forEach((node) => node.wake())
const write = (target: string) => world.write(tenant, target)
const addStream = (values: Partial<StreamValues> = {}) =>
  world.addStream(tenant, { url: `${receiver.url}/in?key=confidential`, ...values })
const find = (id: string) => world.find(id)
const retryNow = () => sql`update audit_streams set due_at = now()`.execute(system())
const targets = () =>
  receiver.messages.flatMap(({ body }) =>
    body
      .trim()
      .split('\n')
      .map((line): string => JSON.parse(line).target),
  )
/** Wakes the nodes until so many entries have arrived. */
const arrived = (count: number) =>
  until(() => {
    wake()
    return targets().length >= count
  })

describe('an audit stream', () => {
  it('delivers more entries than a batch holds once and in order by two nodes, signed', async () => {
    const id = await addStream()
    const sent = Array.from({ length: 1_100 }, (_, index) => `unit-${index}`)
    await sql`insert into audit_log (tenant_id, actor_type, actor_id, action, ip, target, details)
      select ${tenant}::uuid, 'system', 'test', 'device.accept', '', target, '{}'
        from unnest(${sent}::text[]) with ordinality as t (target, place) order by place`.execute(system())
    await arrived(sent.length)
    await until(async () => (await find(id)).leased_until < new Date())
    expect(targets()).toEqual(sent)
    const [message] = receiver.messages
    const [, at, signature] = /^t=(\d+),v1=(\w+)$/.exec(String(message?.headers['x-bowline-signature'])) ?? []
    expect(createHmac('sha256', 'whs-test').update(`${at}.${message?.body}`).digest('hex')).toBe(signature)
    expect(message?.headers).toMatchObject({ authorization: 'Splunk confidential-token', 'x-bowline-stream': id })
  })

  it('tells of complete recordings where it is asked to, whatever else it sends, and nowhere else', async () => {
    const of = { url: `${receiver.url}/recordings`, nouns: ['device'] }
    const all = await addStream({ url: `${receiver.url}/all` })
    const asked = await world.addStream(tenant, { ...of, recordings: true })
    await audit(world.contextOf(tenant), 'recording.complete', 'a session', { sha256: 'x' })
    await audit(world.contextOf(tenant), 'recording.play', 'a session', {})
    await write('box')
    await arrived(4)
    await until(async () => (await Promise.all([find(all), find(asked)])).every((one) => one.leased_until < new Date()))
    const sent = (path: string) =>
      receiver.messages
        .filter((message) => message.path === path)
        .flatMap(({ body }) => body.trim().split('\n'))
        .map((line): string => JSON.parse(line).action)
    expect(sent('/all')).toEqual(['recording.play', 'device.accept'])
    expect(sent('/recordings')).toEqual(['recording.complete', 'device.accept'])
  })

  it('does not skip an entry whose transaction commits after a later one', async () => {
    await addStream()
    let commit = () => {}
    const held = new Promise<void>((resolve) => (commit = resolve))
    let isWritten = false
    const late = world.contextOf(tenant)
    const slow = system()
      .transaction()
      .execute(async (db) => {
        await audit({ ...late, db }, 'device.accept', 'first')
        isWritten = true
        await held
      })
    await until(() => isWritten)
    try {
      await write('second')
      wake()
      await Promise.all(nodes.map((node) => node.settled()))
      await Promise.all(nodes.map((node) => node.stop()))
      expect(targets()).toEqual([])
    } finally {
      commit()
      await slow
    }
    nodes = [startNode(), startNode()]
    await arrived(2)
    expect(targets()).toEqual(['first', 'second'])
  })

  it('loses nothing while its receiver fails and the nodes restart', async () => {
    const id = await addStream()
    receiver.answer({ status: 503, body: 'internal' }, { status: 302, headers: { location: '/elsewhere' } })
    await write('one')
    for (const answer of ['It answered 503.', 'It answered 302.']) {
      await until(async () => {
        wake()
        return (await find(id)).answer === answer
      })
      await Promise.all(nodes.map((node) => node.stop()))
      nodes = [startNode(), startNode()]
      expect((await find(id)).failing_since).not.toBeNull()
      if (answer.includes('302')) await write('two')
      receiver.messages.length = 0
      await retryNow()
    }
    await arrived(2)
    expect(targets()).toEqual(['one', 'two'])
    await until(async () => (await find(id)).failing_since === null)
    expect(logged.join()).not.toMatch(/confidential|internal/)
  })

  it('is paused with its cause after a day of failures, and goes on where it stopped', async () => {
    const id = await addStream()
    await sql`update audit_streams set failing_since = now() - interval '25 hours'`.execute(system())
    receiver.answer({ status: 500 })
    await write('one')
    await until(async () => {
      wake()
      return !(await find(id)).active
    })
    expect(await find(id)).toMatchObject({ disabled_reason: 'It answered 500.' })
    receiver.messages.length = 0
    await sql`update audit_streams set active = true, due_at = now(), failing_since = null`.execute(system())
    await arrived(2)
    expect(receiver.messages.map(({ body }) => body).join('')).toMatch(/"one"[^]*audit-stream\.disable/)
  })

  it('has the entries of its actions only, in the envelope of Splunk', async () => {
    await addStream({ format: 'splunk-hec', nouns: ['device'] })
    await audit(world.contextOf(tenant), 'tag.rename', 'other')
    await write('mine')
    await arrived(1)
    const [message] = receiver.messages
    expect(JSON.parse(message?.body ?? '')).toMatchObject({
      time: expect.any(Number),
      sourcetype: 'bowline:audit',
      event: { target: 'mine' },
    })
  })

  it('does not dial an address that the egress rules refuse', async () => {
    const id = await addStream()
    await Promise.all(nodes.map((node) => node.stop()))
    nodes = [startNode(false)]
    await write('one')
    await until(async () => {
      wake()
      return (await find(id)).answer.startsWith('Not sent: ')
    })
    expect(receiver.messages).toEqual([])
  })
})
