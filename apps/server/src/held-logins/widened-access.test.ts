// Access that somebody with an older session, or a program, could widen where logins need a second factor.
import { operations } from '@bowline/contract/operations'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { TOUCHED, VERIFIED, type UserKey, ed25519Key, fidoKey } from '@bowline/ssh/testing/user-key'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'
import { fakeDevice } from '../testing/gateway.ts'
import { answerOf, askForFactor, signing } from './testing.ts'

const { apiKeys, devices, publicKeys } = operations
let clock: ManualClock
let server: BootedServer
beforeAll(async () => {
  clock = new ManualClock(Date.now())
  server = await bootServer({ clock, settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  await server.setUpAccount()
})
afterAll(() => server.close())

const dataOf = ({ publicKey, blob }: UserKey): string =>
  Buffer.from(`${publicKey.type} ${Buffer.from(blob).toString('base64')}`).toString('base64')

it('tags of a key change only after a recent proof, as its filter does', async () => {
  const owner = await server.addPerson('widener')
  const { device } = await fakeDevice(server, owner)
  await owner.client.call(devices.setTags, { params: { uid: device.uid }, body: { tags: ['dev'] } })
  const body = { name: 'ci', username: 'root', filter: { tags: ['dev'] }, data: dataOf(ed25519Key()), owner: null }
  const { fingerprint } = (await owner.client.call(publicKeys.create, { body })).body
  await askForFactor(owner, { ssh_second_factor_service_keys: true })
  clock.advance(11 * 60_000)
  const { call } = owner.client
  const params = { fingerprint }
  const outcomes = [
    await outcome(call(publicKeys.setTags, { params, body: { tags: ['dev', 'prod'] } })),
    await outcome(call(publicKeys.addTag, { params, body: { tag: 'prod' } })),
    await outcome(call(publicKeys.removeTag, { params: { ...params, tag: 'dev' } })),
  ]
  expect(outcomes).toEqual(Array(3).fill('403 FRESH_PROOF_REQUIRED'))
})

it('a hardware key that an API key has registered asks its owner for the factor', async () => {
  const owner = await server.addPerson('keymaker')
  const device = await fakeDevice(server, owner)
  const made = await owner.client.call(apiKeys.create, {
    body: { name: 'ci-key', expires_at: 30, role: 'administrator' },
  })
  await askForFactor(owner)
  clock.advance(11 * 60_000)
  const key = fidoKey('ed25519', TOUCHED | VERIFIED)
  const filter = { hostname: '.*' }
  const answer = await server.fetch('/api/sshkeys/public-keys', {
    method: 'POST',
    headers: { 'x-api-key': made.body.id, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'k', username: '.*', filter, data: dataOf(key) }),
  })
  expect(answer.status).toBe(200)
  expect((await answerOf(await signing(server, device.login('root'), key))).kind).not.toBe('success')
})

it('an API key neither creates, takes nor widens a service key where logins need a factor', async () => {
  const owner = await server.addPerson('servicer')
  const { device } = await fakeDevice(server, owner)
  await owner.client.call(devices.setTags, { params: { uid: device.uid }, body: { tags: ['dev', 'prod', 'lab'] } })
  const made = await owner.client.call(apiKeys.create, {
    body: { name: 'ci-key', expires_at: 30, role: 'administrator' },
  })
  const send = async (method: string, path: string, body?: object): Promise<string> => {
    const answer = await server.fetch(`/api/sshkeys/public-keys${path}`, {
      method,
      headers: { 'x-api-key': made.body.id, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    return `${answer.status} ${await answer.text()}`
  }
  const values = { name: 'k', username: 'root', filter: { tags: ['dev', 'prod'] } }
  const service = { ...values, owner: null }
  const create = async (more: object): Promise<string> => {
    const body = { ...values, data: dataOf(ed25519Key()), ...more }
    return (await owner.client.call(publicKeys.create, { body })).body.fingerprint
  }
  const [ci, own] = [await create({ owner: null }), await create({})]
  expect(await send('POST', '', { ...service, data: dataOf(ed25519Key()) })).toMatch(/^200/)
  await askForFactor(owner, { ssh_second_factor_service_keys: true })
  const refused = /^403 .*a person must create and change its service keys/
  expect(await send('POST', '', { ...service, data: dataOf(ed25519Key()) })).toMatch(refused)
  expect(await send('PUT', `/${own}`, service)).toMatch(refused)
  expect(await send('PUT', `/${ci}`, { ...values, filter: { hostname: '.*' } })).toMatch(refused)
  expect(await send('PUT', `/${ci}`, { ...values, owner: owner.id })).toMatch(refused)
  expect(await send('POST', `/${ci}/tags`, { tag: 'lab' })).toMatch(refused)
  expect(await send('PUT', `/${ci}/tags`, { tags: ['prod'] })).toMatch(refused)
  expect(await send('DELETE', `/${ci}/tags/dev`)).toMatch(refused)
  expect(await send('PUT', `/${own}`, values)).toMatch(/^200/)
  expect(await send('DELETE', `/${ci}`)).toMatch(/^200/)
})

it('the key of another person becomes a service key only after a recent proof, and by no API key', async () => {
  const owner = await server.addPerson('taker')
  const member = await server.addPerson('taken')
  await server.addMember(owner.tenant, member.id, 'operator')
  const made = await owner.client.call(apiKeys.create, {
    body: { name: 'ci-key', expires_at: 30, role: 'administrator' },
  })
  const values = { name: 'k', username: 'root', filter: { hostname: '.*' } }
  const create = async (holder: Person): Promise<string> => {
    const body = { ...values, data: dataOf(ed25519Key()), owner: holder.id }
    return (await owner.client.call(publicKeys.create, { body })).body.fingerprint
  }
  const [own, theirs] = [await create(owner), await create(member)]
  const take = (fingerprint: string): Promise<string> =>
    outcome(owner.client.call(publicKeys.update, { params: { fingerprint }, body: { ...values, owner: null } }))
  const answer = await server.fetch(`/api/sshkeys/public-keys/${theirs}`, {
    method: 'PUT',
    headers: { 'x-api-key': made.body.id, 'content-type': 'application/json' },
    body: JSON.stringify({ ...values, owner: null }),
  })
  expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('the key of another person')])
  clock.advance(11 * 60_000)
  expect([await take(own), await take(theirs)]).toEqual(['200', '403 FRESH_PROOF_REQUIRED'])
})

it('an API key opens a tunnel to members only, who prove the factor at its door', async () => {
  const owner = await server.addPerson('tunnelmaker')
  const { uid } = await server.acceptedDevice(owner)
  const made = await owner.client.call(apiKeys.create, {
    body: { name: 'ci-key', expires_at: 30, role: 'administrator' },
  })
  const send = async (method: string, path: string, body: object): Promise<string> => {
    const answer = await server.fetch(`/api/devices/${uid}/tunnels${path}`, {
      method,
      headers: { 'x-api-key': made.body.id, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return `${answer.status} ${await answer.text()}`
  }
  const target = { host: '127.0.0.1', port: 80, ttl: 60 }
  expect(await send('POST', '', target)).toContain('"door":"none"')
  await askForFactor(owner)
  const { address } = (await owner.client.call(operations.tunnels.create, { params: { uid }, body: target })).body
  const password = { door: 'password', password: 'a secret of the program' }
  const refused = /^400 .*door: must be namespace for an API key/
  expect(await send('POST', '', target)).toMatch(refused)
  expect(await send('POST', '', { ...target, port: 81, door: 'none' })).toMatch(refused)
  expect(await send('POST', '', { ...target, port: 82, ...password })).toMatch(refused)
  expect(await send('PATCH', `/${address}`, { ttl: 600 })).toMatch(refused)
  expect(await send('POST', '', { ...target, port: 83, door: 'namespace' })).toContain('"door":"namespace"')
  expect(await send('PATCH', `/${address}`, { door: 'namespace' })).toContain('"door":"namespace"')
})
