// API answers while the database is slow, busy or silent, and recovery afterwards.
import { type ChaosProxy, startChaosProxy } from '@bowline/testkit/chaos-proxy'
import { operations } from '@bowline/contract/operations'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { OwnerConnection } from '../db/owner-session.ts'
import { type BootedServer, PASSWORD, type Person, type RegisteredDevice, bootServer } from '../testing/boot.ts'

let proxy: ChaosProxy
let server: BootedServer
let person: Person
let device: RegisteredDevice
beforeAll(async () => {
  server = await bootServer({ reach: throughProxy })
  person = await server.setUpAccount()
  device = await server.acceptedDevice(person)
})
afterEach(() => proxy.setConditions({}))
afterAll(async () => {
  await server.close()
  await proxy.close()
})

async function throughProxy(owner: OwnerConnection): Promise<string> {
  if (typeof owner === 'string') throw new TypeError('the tests’ PostgreSQL has a socket file')
  proxy = await startChaosProxy({ target: { path: `${owner.host}/.s.PGSQL.${owner.port}` } })
  return `postgres://${owner.user}:${encodeURIComponent(owner.password)}@${proxy.host}:${proxy.port}/${owner.database}`
}

const signIn = () =>
  server.fetch('/api/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: person.username, password: PASSWORD }),
  })
const authorization = () => ({ authorization: `Bearer ${person.auth.token}` })
const list = () => server.fetch('/api/devices', { headers: authorization() })
const rename = (name: string) =>
  server.fetch(`/api/devices/${device.uid}`, {
    method: 'PUT',
    headers: { ...authorization(), 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  })

/** An answer that says to try again. */
async function expectUnavailable(answer: Response): Promise<void> {
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^\d+$/)])
  expect(await answer.json()).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringMatching(/database/) })
}

describe('silent database', () => {
  it('answers 503 to pending and new requests, then recovers', async () => {
    proxy.setConditions({ silent: true })
    for (const answer of await Promise.all([signIn(), rename('late'), ...Array.from({ length: 40 }, list)])) {
      await expectUnavailable(answer)
    }
    for (const answer of await Promise.all([signIn(), list()])) await expectUnavailable(answer)
    expect((await server.fetch('/healthcheck')).status).toBe(503)
    proxy.setConditions({})
    const again = await Promise.all([signIn(), list(), rename('again'), server.fetch('/healthcheck')])
    expect(again.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  })

  it('answers 503 and recovers when a silent database resets its connections', async () => {
    proxy.setConditions({ silent: true })
    const waiting = Promise.all([signIn(), list()])
    for (const answer of await waiting) await expectUnavailable(answer)
    proxy.reset()
    proxy.setConditions({})
    expect((await Promise.all([signIn(), list()])).map(({ status }) => status)).toEqual([200, 200])
  })
})

describe('slow database', () => {
  it('waits for a slow database', async () => {
    proxy.setConditions({ delayMs: 60, jitterMs: 40 })
    expect((await Promise.all([signIn(), list(), list()])).map(({ status }) => status)).toEqual([200, 200, 200])
  })
})

describe('exhausted tenant pool', () => {
  it('serves sign-in and health and answers 503 otherwise when the tenant pool is exhausted', async () => {
    const locked = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const holding = server.database
      .system()
      .transaction()
      .execute(async (db) => {
        await db.selectFrom('devices').select('uid').where('uid', '=', device.uid).forUpdate().execute()
        locked.resolve()
        await release.promise
      })
    await locked.promise
    const stuck = Promise.all(Array.from({ length: 15 }, (_, i) => rename(`stuck-${i}`)))
    expect([(await signIn()).status, (await server.fetch('/healthcheck')).status]).toEqual([200, 200])
    for (const answer of await stuck) await expectUnavailable(answer)
    release.resolve()
    await holding
    expect((await rename('free')).status).toBe(200)
    expect((await person.client.call(operations.devices.get, { params: { uid: device.uid } })).body.name).toBe('free')
  })
})
