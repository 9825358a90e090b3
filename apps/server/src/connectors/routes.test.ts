// Connectors over HTTP: stored, validated and dialled; their private key is never returned.
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import { answered, startHostileEngine } from '@bowline/engine/testing/hostile-engine'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SecretKey } from '../platform/secrets/seal.ts'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'

const { connectors, audit } = operations
let server: BootedServer
let cloud: BootedServer
/** May dial this machine. */
let near: BootedServer
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
  near = await bootServer({ settings: { BOWLINE_EGRESS_ALLOWED: '127.0.0.1/32' } })
  cloud = await bootServer({ settings: { BOWLINE_EDITION: 'cloud', BOWLINE_EGRESS_ALLOWED: '10.7.0.0/16' } })
})
afterAll(async () => {
  await server.close()
  await cloud.close()
  await near.close()
})

const newcomer = (on = server) => on.addPerson(`p${randomUUID().slice(0, 8)}`)
const pem = (word: string) => `-----BEGIN ${word}-----\nsecret of ${word}\n-----END ${word}-----\n`
const TLS = { ca: pem('CERTIFICATE'), cert: pem('CERTIFICATE'), key: pem('PRIVATE KEY') }
/** Switched off: nothing is at that address. */
const BODY = { enable: false, address: '192.168.1.9', port: 2_376, secure: true, tls: TLS }
const create = (person: Person, changes: object = {}) =>
  person.client.call(connectors.create, { body: { ...BODY, ...changes } })
async function only(person: Person) {
  const [one] = (await person.client.call(connectors.list, {})).body
  if (!one) throw new Error('there is no connector')
  return one
}

it('saves a connector with 201 and a status that says why it is not connected', async () => {
  const person = await newcomer(near)
  const engine = await startHostileEngine((_, socket) => socket.end(answered('500 Broken', '{"message":"no disk"}')))
  const headers = { authorization: `Bearer ${person.auth.token}`, 'content-type': 'application/json' }
  const body = { enable: true, address: '127.0.0.1', port: engine.port, secure: false }
  const response = await near.fetch('/api/connector', { method: 'POST', headers, body: JSON.stringify(body) })
  expect([response.status, await response.text()]).toEqual([201, ''])
  const connector = await only(person)
  expect(connector).toMatchObject({ ...body, tenant_id: person.tenant, tls: null })
  expect(connector.status).toMatchObject({ state: 'disconnected', State: false })
  expect(connector.status.message).toBe(connector.status.Message)
  expect(connector.status.message).toBe('the engine answered with status 500: no disk.')
  await person.client.call(connectors.update, { params: { uid: connector.uid }, body: { enable: false } })
  expect((await only(person)).status.message).toBe('It is switched off.')
  engine.close()
})

it('says with 201 that the texts for TLS cannot be used', async () => {
  const person = await newcomer(near)
  await create(person, { enable: true, address: '127.0.0.1', port: 9 })
  expect((await only(person)).status.message).toBe('the certificates or the key of the connector cannot be used.')
})

it('refuses more connectors than a namespace may have', async () => {
  const person = await newcomer()
  for (let count = 0; count < LIMITS.connectorsPerNamespace; count += 1) await create(person)
  expect(await outcome(create(person))).toBe('403 POLICY_LIMIT')
})

it('seals the private key of a connector and returns it in no response or audit entry', async () => {
  const person = await newcomer()
  await create(person)
  const { uid } = await only(person)
  const row = await server.database
    .forTenant(person.tenant)
    .selectFrom('connectors')
    .selectAll()
    .executeTakeFirstOrThrow()
  expect(row.tls_key?.toString('latin1')).not.toContain('secret of')
  const key = new SecretKey(server.secretKey)
  expect(key.open(`connector ${uid}`, row.tls_key ?? Buffer.alloc(0)).toString()).toBe(TLS.key)
  const seen = [
    await person.client.call(connectors.get, { params: { uid } }),
    await person.client.call(connectors.list, {}),
    await person.client.call(audit.list, {}),
  ]
  expect(JSON.stringify(seen.map(({ body }) => body))).not.toContain('secret of PRIVATE')
})

it('keeps fields, including the private key, that an update omits', async () => {
  const person = await newcomer()
  await create(person)
  const { uid } = await only(person)
  await person.client.call(connectors.update, { params: { uid }, body: { port: 2_375 } })
  expect(await only(person)).toMatchObject({ enable: false, port: 2_375, address: BODY.address, tls: { ca: TLS.ca } })
  const row = await server.database
    .forTenant(person.tenant)
    .selectFrom('connectors')
    .selectAll()
    .executeTakeFirstOrThrow()
  expect(new SecretKey(server.secretKey).open(`connector ${uid}`, row.tls_key ?? Buffer.alloc(0)).toString()).toBe(
    TLS.key,
  )
  await person.client.call(connectors.update, { params: { uid }, body: { secure: false, tls: null } })
  expect((await only(person)).tls).toBeNull()
  const remove = () => outcome(person.client.call(connectors.remove, { params: { uid } }))
  expect([await remove(), await remove()]).toEqual(['200', '404 NOT_FOUND'])
})

it.each([
  [{ tls: undefined }, '400 INVALID_INPUT tls'],
  [{ tls: { ...TLS, key: '' } }, '400 INVALID_INPUT tls.key'],
  [{ tls: { ...TLS, ca: 'no pem' } }, '400 INVALID_INPUT tls.ca'],
  [{ port: 65_536 }, '400 INVALID_INPUT port'],
  [{ address: 'http://docker' }, '400 INVALID_INPUT address'],
  [{ address: '127.0.0.1' }, '400 INVALID_INPUT address'],
  [{ address: 'localhost' }, '400 INVALID_INPUT address'],
  [{ address: '169.254.169.254' }, '400 INVALID_INPUT address'],
  [{ address: '2130706433' }, '400 INVALID_INPUT address'],
  [{ address: '0x7f.1' }, '400 INVALID_INPUT address'],
])('refuses a connector with %j and saves nothing', async (changes, expected) => {
  const person = await newcomer()
  expect(await outcome(create(person, changes))).toBe(expected)
  expect((await person.client.call(connectors.list, {})).total).toBe(0)
})

it('refuses a private key so large that each handshake would keep the server busy', async () => {
  const person = await newcomer()
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 4_104 })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' })
  expect(await outcome(create(person, { tls: { ...TLS, key } }))).toBe('400 INVALID_INPUT tls.key')
  await create(person)
  const { uid } = await only(person)
  const change = person.client.call(connectors.update, { params: { uid }, body: { tls: { ...TLS, key } } })
  expect(await outcome(change)).toBe('400 INVALID_INPUT tls.key')
})

it('refuses private addresses in the cloud edition, except those the operator allows', async () => {
  const person = await newcomer(cloud)
  const at = (address: string) => outcome(create(person, { address }))
  expect(await at('192.168.1.9')).toBe('400 INVALID_INPUT address')
  expect(await at('10.8.0.1')).toBe('400 INVALID_INPUT address')
  expect(await at('10.7.0.1')).toBe('200')
  const { uid } = await only(person)
  const move = person.client.call(connectors.update, { params: { uid }, body: { address: '10.8.0.1' } })
  expect(await outcome(move)).toBe('400 INVALID_INPUT address')
})

it('filters connectors by enabled state', async () => {
  const person = await newcomer(near)
  await create(person, { enable: true, address: '127.0.0.1', port: 9 })
  await create(person)
  const total = async (enable: 'true' | 'false') =>
    (await person.client.call(connectors.list, { query: { enable } })).total
  expect([await total('true'), await total('false')]).toEqual([1, 1])
})

it('answers connector info with 424 while it is switched off, and 404 for one of another namespace', async () => {
  const [person, outsider] = [await newcomer(), await newcomer()]
  await create(person)
  const { uid } = await only(person)
  const info = (who: Person, one: string) => outcome(who.client.call(connectors.info, { params: { uid: one } }))
  expect(await info(person, uid)).toBe('424 ENGINE_FAILED')
  expect(await info(person, randomUUID())).toBe('404 NOT_FOUND')
  expect(await info(outsider, uid)).toBe('404 NOT_FOUND')
})
