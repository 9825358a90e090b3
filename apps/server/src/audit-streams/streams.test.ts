// Audit streams by the API of a whole server, which sends them to a real receiver.
import { createHmac } from 'node:crypto'
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import { ROLES } from '@bowline/contract/roles'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from '../alerts/testing.ts'
import type { Log } from '../platform/log.ts'
import { type BootedServer, type Client, type Person, bootServer, outcome } from '../testing/boot.ts'

const { audit, auditStreams, auth } = operations

let server: BootedServer
let person: Person
let receiver: Receiver
let logged: string[] = []
const note = (ev: string, fields?: object) => void logged.push(JSON.stringify({ ev, ...fields }))
const log: Log = { debug: note, info: note, warn: note, error: note, child: () => log }

beforeAll(async () => {
  receiver = await startReceiver()
  server = await bootServer({ log, settings: { BOWLINE_EGRESS_ALLOWED: '127.0.0.0/8', BOWLINE_EDITION: 'cloud' } })
  person = await server.setUpAccount()
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})
beforeEach(async () => {
  await server.database.system().deleteFrom('audit_streams').execute()
  receiver.messages.length = 0
  logged = []
})

const AUTHORIZATION = 'Splunk confidential-token'
const create = async (values: object = {}, client: Client = person.client) =>
  (
    await client.call(auditStreams.create, {
      body: { name: 'SIEM', url: `${receiver.url}/in?key=confidential`, authorization: AUTHORIZATION, ...values },
    })
  ).body
const streams = async (client: Client = person.client) => (await client.call(auditStreams.list, {})).body
const update = async (id: string, body: object) =>
  (await person.client.call(auditStreams.update, { params: { id }, body })).body
const test = async (id: string) => (await person.client.call(auditStreams.test, { params: { id } })).body
const actions = () =>
  receiver.messages.flatMap(({ body }) =>
    body
      .trim()
      .split('\n')
      .map((line): string => JSON.parse(line).action),
  )

describe('an audit stream', () => {
  it('is sent by the server, signed by the secret that it was added with', async () => {
    const { id, secret, ...stream } = await create()
    expect(stream).toMatchObject({ active: true, host: new URL(receiver.url).host, has_authorization: true })
    await update(id, { name: 'Splunk' })
    await until(() => actions().length >= 2)
    expect(actions()).toEqual(['audit-stream.create', 'audit-stream.update'])
    const [{ headers, body, path } = { headers: {}, body: '', path: '' }] = receiver.messages
    const [, at = '', signature] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-bowline-signature'])) ?? []
    expect(createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')).toBe(signature)
    expect(headers).toMatchObject({ authorization: AUTHORIZATION, 'x-bowline-stream': id })
    expect(path).toBe('/in?key=confidential')
    await until(async () => (await streams())[0]?.behind === 0)
    expect(await streams()).toMatchObject([{ name: 'Splunk', answer: 'It answered 200.', failing_since: null }])
  })

  it('tells how far behind it is while it is paused, and goes on where it stopped', async () => {
    const { id } = await create()
    await until(() => receiver.messages.length === 1)
    await until(async () => (await streams())[0]?.behind === 0)
    await update(id, { active: false })
    await update(id, { format: 'ndjson' })
    expect(await streams()).toMatchObject([{ active: false, behind: 2 }])
    expect(await update(id, { active: true })).toMatchObject({ active: true, behind: 3 })
    await until(() => actions().length >= 4)
    expect(actions().slice(1)).toEqual(Array.from({ length: 3 }, () => 'audit-stream.update'))
  })

  it('tells why its receiver fails, and tries a changed address at once', async () => {
    receiver.answer({ status: 503, body: 'internal' })
    const { id } = await create()
    await until(async () => (await streams())[0]?.answer === 'It answered 503.')
    expect((await streams())[0]?.failing_since).not.toBeNull()
    await update(id, { url: `${receiver.url}/new` })
    await until(() => receiver.messages.some(({ path }) => path === '/new'))
    await until(async () => (await streams())[0]?.failing_since === null)
  })

  it('sends a test entry and tells what the receiver answers', async () => {
    const { id } = await create({ format: 'json' })
    await until(() => receiver.messages.length === 1)
    await update(id, { active: false })
    receiver.answer({ status: 418, body: 'internal' })
    expect(await test(id)).toEqual({ arrived: false, answer: 'It answered 418.' })
    expect(await test(id)).toEqual({ arrived: true, answer: 'It answered 200.' })
    expect(JSON.parse(receiver.messages.at(-1)?.body ?? '')).toMatchObject([
      { id: 0, action: 'audit-stream.test', target: id, target_name: 'SIEM', details: { test: true } },
    ])
  })

  it('tells why a test entry did not arrive where nobody listens', async () => {
    const { id } = await create()
    const gone = await startReceiver()
    await gone.close()
    await update(id, { url: gone.url, authorization: null })
    expect(await test(id)).toEqual({ arrived: false, answer: expect.stringMatching(/^Not sent: /) })
  })

  it('has none of its secrets in answers, entries and logs', async () => {
    const { id, secret } = await create()
    await update(id, { url: `${receiver.url}/other?key=confidential`, authorization: 'Bearer confidential' })
    await until(() => receiver.messages.length > 0)
    const { body: entries } = await person.client.call(audit.list, { query: {} })
    const told = JSON.stringify([await streams(), entries, logged, receiver.messages.map(({ body }) => body)])
    for (const word of ['confidential', secret]) expect(told).not.toContain(word)
    expect(entries.map(({ action }) => action)).toContain('audit-stream.update')
  })

  it('does not send its authorization to another host that somebody types', async () => {
    const { id } = await create()
    const other = { url: 'https://9.9.9.9/in', active: false }
    expect(await outcome(update(id, other))).toBe('400 INVALID_INPUT authorization')
    const otherScheme = { url: receiver.url.replace('http:', 'https:'), active: false }
    expect(await outcome(update(id, otherScheme))).toBe('400 INVALID_INPUT authorization')
    expect(await update(id, { ...other, authorization: null })).toMatchObject({ has_authorization: false })
  })

  it('is one of a few in its namespace', async () => {
    const limit = LIMITS.auditStreams.perNamespace
    for (let count = 0; count < limit; count += 1) await create({ name: `stream ${count}` })
    expect(await outcome(create())).toBe('403 NAMESPACE_FULL')
  })
})

it.each([
  ['of a metadata service', { url: 'http://169.254.169.254/latest/' }, 'url'],
  ['of a private network', { url: 'https://10.1.2.3/' }, 'url'],
  ['with a password', { url: 'https://a:b@127.0.0.1/' }, 'url'],
  ['of another kind', { url: 'file:///etc/passwd' }, 'url'],
  ['with a header that ends', { authorization: 'a\r\nhost: b' }, 'authorization'],
  ['with an unknown format', { format: 'xml' }, 'format'],
  ['with an action instead of a noun', { nouns: ['device.accept'] }, 'nouns.0'],
  ['with a noun that no action has', { nouns: ['device', 'devices'] }, 'nouns.1'],
])('refuses an audit stream %s, also as a change', async (_, values, field) => {
  expect(await outcome(create(values))).toBe(`400 INVALID_INPUT ${field}`)
  const { id } = await create()
  expect(await outcome(update(id, values))).toBe(`400 INVALID_INPUT ${field}`)
})

it('is for administrators and the owner of its namespace', async () => {
  const { id } = await create()
  for (const role of ROLES.filter((one) => one !== 'owner')) {
    const member = await server.addPerson(`a-${role}`)
    await server.addMember(person.tenant, member.id, role)
    const { body } = await member.client.call(auth.switchNamespace, { params: { tenant: person.tenant } })
    const client = server.client(body.token)
    expect(await outcome(streams(client))).toBe(role === 'administrator' ? '200' : '403 FORBIDDEN')
    if (role === 'administrator') continue
    expect(await outcome(client.call(auditStreams.test, { params: { id } }))).toBe('403 FORBIDDEN')
    expect(await outcome(create({}, client))).toBe('403 FORBIDDEN')
  }
  const stranger = await server.addPerson('stranger')
  expect(await streams(stranger.client)).toEqual([])
  const params = { id }
  const { client } = stranger
  for (const call of [
    () => client.call(auditStreams.update, { params, body: { active: false } }),
    () => client.call(auditStreams.test, { params }),
    () => client.call(auditStreams.remove, { params }),
  ])
    expect(await outcome(call())).toBe('404 NOT_FOUND')
  await person.client.call(auditStreams.remove, { params: { id } })
  expect(await streams()).toEqual([])
})

it('sends a few test entries at once only', async () => {
  const tester = await server.addPerson('tester')
  const { id } = await create({}, tester.client)
  const tries = []
  for (let time = 0; time < 12; time += 1)
    tries.push(await outcome(tester.client.call(auditStreams.test, { params: { id } })))
  expect(tries.at(0)).toBe('200')
  expect(tries.at(-1)).toBe('429 TOO_MANY_REQUESTS')
})

it('does not send at the pace at which somebody types addresses', async () => {
  const prober = await server.addPerson('prober')
  const { id } = await create({}, prober.client)
  const change = (body: object) => outcome(prober.client.call(auditStreams.update, { params: { id }, body }))
  const tries = []
  for (let time = 0; time < 32; time += 1)
    tries.push(await change({ url: `${receiver.url}/${time}`, authorization: null }))
  expect(tries.at(0)).toBe('200')
  expect(tries.at(-1)).toBe('429 TOO_MANY_REQUESTS')
  expect(await change({ active: false })).toBe('200')
  expect(await change({ active: true })).toBe('429 TOO_MANY_REQUESTS')
  await prober.client.call(auditStreams.remove, { params: { id } })
  expect(await outcome(create({}, prober.client))).toBe('429 TOO_MANY_REQUESTS')
})
