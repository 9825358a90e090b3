// Access that somebody with an older session, or a program, could widen where logins need a second factor.
import { operations } from '@bowline/contract/operations'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { TOUCHED, VERIFIED, type UserKey, ed25519Key, fidoKey } from '@bowline/ssh/testing/user-key'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, bootServer, outcome } from '../testing/boot.ts'
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
