// Registration of devices over HTTP: requests of agents, their effect, and refusals.
import { type KeyObject, createHash, createPublicKey, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { DeviceAuthBody } from '@bowline/contract/schemas/device'
import { type RegistrationProof, signRegistration } from '@bowline/link/registration-proof'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loadInstanceKeys } from '../instance/keys.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, type Person, bootServer, setStatus, readUntil } from '../testing/boot.ts'
import { deviceUid } from './identity.ts'

let clock: ManualClock
let server: BootedServer
let ada: Person
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock, settings: { BOWLINE_TRUSTED_PROXIES: '127.0.0.1' } })
  ada = await server.setUpAccount()
})
afterAll(() => server.close())
// Refills the rate limit of this source.
beforeEach(() => clock.advance(10_000))

const ed25519 = () => generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' })
const info = { id: 'debian', pretty_name: 'Debian 12', version: 'v0.1.0', arch: 'x64', platform: 'native' }
const body = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  info,
  hostname: 'box',
  identity: { mac: '02:00:00:00:00:01' },
  public_key: ed25519(),
  tenant_id: ada.tenant,
  ...changes,
})

async function register(changes: Record<string, unknown> = {}, path = '/api/devices/auth', from = '192.0.2.1') {
  const response = await server.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify(body(changes)),
  })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  }
}

const device = (uid: unknown) =>
  ada.client.call(operations.devices.get, { params: { uid: DeviceUid.parse(uid) } }).then((answer) => answer.body)

describe('uid of a device', () => {
  it('hashes MAC, key and namespace in the documented form into the uid, byte for byte', async () => {
    const key = ed25519()
    const text = `{Identity:{MAC:"02:AB:00:00:00:01"},PublicKey:"${key}",TenantID:"${ada.tenant}"}`
    const expected = createHash('sha256').update(text).digest('hex')
    const answer = await register({ public_key: key, identity: { mac: '02:AB:00:00:00:01' } })
    expect(answer).toMatchObject({ status: 200, body: { uid: expected } })
  })

  it('computes the known uid of a reference device', () => {
    const tenant = ada.tenant.replaceAll(/[0-9a-f]/g, '0') as typeof ada.tenant
    const publicKey = '-----BEGIN RSA PUBLIC KEY-----\nAA==\n-----END RSA PUBLIC KEY-----\n'
    expect(deviceUid({ mac: 'aa:bb:cc:dd:ee:ff', publicKey, tenant })).toBe(
      createHash('sha256')
        .update(`{Identity:{MAC:"aa:bb:cc:dd:ee:ff"},PublicKey:"${publicKey}",TenantID:"${tenant}"}`)
        .digest('hex'),
    )
  })

  it('changes the uid with MAC, key and namespace only', async () => {
    const same = { public_key: ed25519(), identity: { mac: '02:00:00:00:00:02' } }
    const other = await server.addPerson('elsewhere')
    const uidOf = async (changes: Record<string, unknown>) => (await register({ ...same, ...changes })).body['uid']
    const uid = await uidOf({})
    expect(await uidOf({ hostname: 'renamed', info: { ...info, version: 'v9' }, sessions: ['x'] })).toBe(uid)
    expect(await uidOf({ tenant_id: ada.tenant.toUpperCase() })).toBe(uid)
    const others = [
      await uidOf({ identity: { mac: '02:00:00:00:00:03' } }),
      await uidOf({ public_key: ed25519() }),
      await uidOf({ tenant_id: other.tenant }),
    ]
    expect(new Set([uid, ...others]).size).toBe(4)
  })
})

describe('name of a new device', () => {
  it.each<[unknown, string]>([
    ['Box', 'box'],
    ['box.example.org', 'box_example_org'],
    ['my box!', 'my-box-'],
    ['schön', 'sch-n'],
    ['a\tb\nc', 'a-b-c'],
    ['x'.repeat(100), 'x'.repeat(64)],
    ['', '02-00-00-00-00-0a'],
    [null, '02-00-00-00-00-0a'],
    [undefined, '02-00-00-00-00-0a'],
  ])('names a device with host name %j %s', async (hostname, name) => {
    const answer = await register({ hostname, identity: { mac: '02:00:00:00:00:0A' } })
    expect(answer).toMatchObject({ status: 200, body: { name, namespace: ada.namespace } })
  })

  it('allows pending devices with the same name', async () => {
    const first = await register({ hostname: 'twin' })
    const second = await register({ hostname: 'twin' })
    expect(first.body['uid']).not.toBe(second.body['uid'])
    expect(second.body['name']).toBe('twin')
  })
})

describe('registration of a device', () => {
  it('creates a pending device from the agent’s request', async () => {
    const key = ed25519()
    const answer = await register({ public_key: key, hostname: 'fresh' }, '/api/auth/device', '198.51.100.7')
    expect(await device(answer.body['uid'])).toMatchObject({
      name: 'fresh',
      status: 'pending',
      info,
      public_key: key,
      identity: { mac: '02:00:00:00:00:01' },
      tenant_id: ada.tenant,
      namespace: ada.namespace,
      remote_addr: '198.51.100.7',
      online: false,
      tags: [],
      public_url: false,
      position: { latitude: 0, longitude: 0 },
    })
  })

  it('returns a device token and the platform’s statement key', async () => {
    const { body: answer } = await register()
    const keys = await loadInstanceKeys(server.database.system(), new SecretKey(server.secretKey))
    expect(answer['statement_key']).toBe(keys.statement.publicRaw)
    expect(Buffer.from(String(answer['statement_key']), 'base64url')).toHaveLength(32)
    const claims = JSON.parse(
      Buffer.from(String(answer['token']).split('.')[1] ?? '', 'base64url').toString(),
    ) as object
    expect(claims).toMatchObject({ claims: 'device', uid: answer['uid'], tenant: ada.tenant })
    expect(claims).not.toHaveProperty('exp')
  })

  it('refreshes a known device on repeated registration and keeps its name', async () => {
    const same = { public_key: ed25519(), hostname: 'first' }
    const { body: first } = await register(same)
    const before = await device(first['uid'])
    await server.database
      .system()
      .updateTable('devices')
      .set({ last_seen: new Date('2026-01-01T00:00:00Z') })
      .where('uid', '=', before.uid)
      .execute()
    const again = { ...same, hostname: 'second', info: { ...info, version: 'v0.2.0' } }
    const { status, body: second } = await register(again, '/api/devices/auth', '203.0.113.5')
    expect([status, second]).toMatchObject([200, { uid: first['uid'], name: 'first' }])
    const after = await device(first['uid'])
    expect(after).toMatchObject({ name: 'first', info: { version: 'v0.2.0' }, remote_addr: '203.0.113.5' })
    expect(after.created_at).toBe(before.created_at)
    expect(Date.parse(after.last_seen)).toBeGreaterThanOrEqual(Date.parse(before.last_seen))
  })

  it('leaves a registered device offline until its link is up', async () => {
    const same = { public_key: ed25519() }
    await register(same)
    const { body: answer } = await register(same)
    expect(await device(answer['uid'])).toMatchObject({ online: false })
  })

  it('creates one device and one event for concurrent registrations', async () => {
    const listener = await server.client(ada.auth.token).open(operations.events.stream, {})
    const names = ['at-once-1', 'at-once-2', 'at-once-3', 'at-once-4']
    for (const hostname of names) {
      const same = { public_key: ed25519(), hostname }
      const answers = await Promise.all(Array.from({ length: 8 }, () => register(same)))
      expect(answers.filter(({ status }) => status !== 200)).toEqual([])
      expect(new Set(answers.map((answer) => answer.body['uid'])).size).toBe(1)
    }
    const { body: last } = await register({ hostname: 'the-end' })
    const events = await readUntil(listener, String(last['uid']))
    expect(events.match(/"name":"at-once-\d"/g)).toEqual(names.map((name) => `"name":"${name}"`))
  })

  it('accepts registrations of rejected and accepted devices without changing their status', async () => {
    for (const [word, status] of [
      ['reject', 'rejected'],
      ['accept', 'accepted'],
    ] as const) {
      const same = { public_key: ed25519(), hostname: `after-${word}`, identity: { mac: randomUUID() } }
      const { body: answer } = await register(same)
      await setStatus(ada, DeviceUid.parse(answer['uid']), word)
      expect(await register(same)).toMatchObject({ status: 200, body: { uid: answer['uid'] } })
      expect(await device(answer['uid'])).toMatchObject({ status })
    }
  })
})

describe('registration of an accepted device', () => {
  const statementKey = async () => (await register()).body['statement_key'] as string

  /** An accepted device and its agent's registration request. */
  async function accepted() {
    const { uid, body, privateKey } = await server.acceptedDevice(ada, { hostname: `d-${randomUUID().slice(0, 8)}` })
    await server.database
      .system()
      .updateTable('devices')
      .set({ last_seen: new Date('2026-01-01T00:00:00Z') })
      .where('uid', '=', uid)
      .execute()
    const spoofed = { ...body, info: { ...info, pretty_name: 'Spoofed OS 9.9.9' } }
    return { uid, body, spoofed, privateKey, before: await device(uid) }
  }

  /** Status of a signing request: 404 for a proven token, since the namespace has no such login key; else 401. */
  const vouches = async (token: unknown) =>
    (
      await server.fetch('/api/auth/ssh', {
        method: 'POST',
        headers: { authorization: `Bearer ${String(token)}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          fingerprint: Array.from({ length: 16 }, () => 'ab').join(':'),
          data: '{"Username":"root","Namespace":"box"}',
        }),
      })
    ).status

  it('ignores an unsigned registration of an accepted device and issues an unproven token', async () => {
    const { uid, spoofed, before } = await accepted()
    const { status, body } = await register(spoofed, '/api/devices/auth', '203.0.113.66')
    expect([status, body]).toMatchObject([200, { uid, name: before.name, namespace: ada.namespace }])
    expect(await device(uid)).toEqual(before)
    expect(await vouches(body['token'])).toBe(401)
  })

  it('refreshes an accepted device from a signed registration', async () => {
    const { uid, spoofed: changed, privateKey, before } = await accepted()
    const proof = signRegistration(privateKey, changed, await statementKey(), clock.now())
    const { body } = await register({ ...changed, proof }, '/api/devices/auth', '203.0.113.66')
    expect(await device(uid)).toMatchObject({ info: changed.info, remote_addr: '203.0.113.66' })
    expect(Date.parse((await device(uid)).last_seen)).toBeGreaterThan(Date.parse(before.last_seen))
    expect(await vouches(body['token'])).toBe(404)
  })

  it.each<[string, (parts: { spoofed: DeviceAuthBody; privateKey: KeyObject; key: string }) => RegistrationProof]>([
    ['with another key', ({ spoofed, key }) => sign(generateKeyPairSync('ed25519').privateKey, spoofed, key)],
    [
      'for another server',
      ({ spoofed, privateKey }) => sign(privateKey, spoofed, Buffer.alloc(32).toString('base64url')),
    ],
    ['for other facts', ({ spoofed, privateKey, key }) => sign(privateKey, { ...spoofed, info }, key)],
    [
      'for another namespace',
      ({ spoofed, privateKey, key }) => sign(privateKey, { ...spoofed, tenant_id: UNKNOWN_TENANT }, key),
    ],
    ['an hour ago', ({ spoofed, privateKey, key }) => sign(privateKey, spoofed, key, clock.now() - 3_600_000)],
    ['an hour ahead', ({ spoofed, privateKey, key }) => sign(privateKey, spoofed, key, clock.now() + 3_600_000)],
  ])('ignores a registration signed %s', async (_, forge) => {
    const { uid, spoofed, privateKey, before } = await accepted()
    const proof = forge({ spoofed, privateKey, key: await statementKey() })
    const { status, body } = await register({ ...spoofed, proof })
    expect(status).toBe(200)
    expect(await device(uid)).toEqual(before)
    expect(await vouches(body['token'])).toBe(401)
  })

  it('ignores a replayed registration', async () => {
    const { uid, spoofed, privateKey } = await accepted()
    const proof = sign(privateKey, spoofed, await statementKey())
    const overheard = { ...spoofed, proof }
    await register(overheard, '/api/devices/auth', '203.0.113.66')
    const before = await device(uid)
    const { body } = await register(overheard, '/api/devices/auth', '203.0.113.99')
    expect(await device(uid)).toEqual(before)
    expect(await vouches(body['token'])).toBe(401)
  })

  it('ignores an unsigned registration of a pending device that has signed before', async () => {
    const { uid, body, privateKey } = await server.registerDevice(ada.tenant)
    const proof = sign(privateKey, body, await statementKey())
    await register({ ...body, proof })
    const before = await device(uid)
    await register({ ...body, info: { ...info, pretty_name: 'Spoofed' } })
    expect(await device(uid)).toEqual(before)
  })
})

const UNKNOWN_TENANT = TenantId.parse('00000000-0000-4000-8000-00000000dead')
const sign = (privateKey: KeyObject, facts: DeviceAuthBody, key: string, at = clock.now()) =>
  signRegistration(privateKey, facts, key, at)

describe('public key of a device', () => {
  it.each<[string, () => string]>([
    ['Ed25519', ed25519],
    ['RSA as existing agents send it', () => rsa('pkcs1')],
    ['RSA', () => rsa('spki')],
    [
      'ECDSA',
      () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'pem' }),
    ],
  ])('accepts the public key type %s', async (_, key) => {
    expect((await register({ public_key: key() })).status).toBe(200)
  })

  it.each<[string, () => string]>([
    ['text', () => 'nonsense'],
    ['an OpenSSH line', () => 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVV'],
    ['a broken PEM', () => '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n'],
    [
      'of a kind that cannot sign',
      () => generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' }),
    ],
    // Members see public keys: an agent's mistake must not publish a private one.
    ['private', () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })],
    [
      'RSA of sixteen thousand bits',
      () => {
        const n = randomBytes(2_048)
        n[0] = 0xff
        n[2_047] = 0xff
        const key = { kty: 'RSA', n: n.toString('base64url'), e: 'AQAB' }
        return createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'pem' })
      },
    ],
    [
      'short RSA',
      () => generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'pem' }),
    ],
    ['RSA of a size that costs more than it proves', () => rsaOf(16_384)],
    ['two keys', () => `${ed25519()}${ed25519()}`],
  ])('refuses the public key: %s', async (_, key) => {
    const answer = await register({ public_key: key(), hostname: 'bad-key' })
    expect(answer).toMatchObject({ status: 400, body: { fields: ['public_key'] } })
    const all = await ada.client.call(operations.devices.list, { query: { status: 'pending', per_page: '100' } })
    expect(all.body.filter(({ name }) => name === 'bad-key')).toEqual([])
  })
})

/** A public key of that size without a known private key. */
function rsaOf(bits: number): string {
  const n = Buffer.alloc(bits / 8, 0xff).toString('base64url')
  const key = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' })
  return key.export({ type: 'spki', format: 'pem' })
}

function rsa(type: 'pkcs1' | 'spki'): string {
  return generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ type, format: 'pem' })
}

describe('refused registrations', () => {
  it.each<[string, Record<string, unknown>, number, string]>([
    ['no identity, even with a host name', { identity: undefined }, 400, 'identity'],
    ['an identity that is null', { identity: null }, 400, 'identity'],
    ['neither host name nor MAC', { identity: { mac: '' }, hostname: '' }, 400, 'identity'],
    ['no info', { info: undefined }, 400, 'info'],
    ['info without a platform', { info: { ...info, platform: undefined } }, 400, 'info.platform'],
    ['an empty key', { public_key: '' }, 400, 'public_key'],
    ['a tenant that is none', { tenant_id: 'x' }, 400, 'tenant_id'],
    ['a MAC of 65 characters', { identity: { mac: 'x'.repeat(65) } }, 400, 'identity.mac'],
    ['a host name of 254 characters', { hostname: 'x'.repeat(254) }, 400, 'hostname'],
    ['a key of 4,097 characters', { public_key: 'x'.repeat(4_097) }, 400, 'public_key'],
    ['a thousand and one sessions', { sessions: Array.from({ length: 1_001 }, () => 'x') }, 400, 'sessions'],
    ['an identity that is text', { identity: '02:00' }, 422, 'identity'],
    ['info that is a list', { info: [] }, 422, 'info'],
    ['a host name that is a number', { hostname: 7 }, 422, 'hostname'],
  ])('refuses a registration with %s', async (_, changes, status, field) => {
    expect(await register(changes)).toMatchObject({ status, body: { fields: [field] } })
  })

  it.each([
    ['a host name with a NUL', { hostname: 'a\0b' }],
    ['info with half of a surrogate pair', { info: { ...info, pretty_name: '\ud800' } }],
  ])('refuses a registration with %s as unreadable', async (_, changes) => {
    expect(await register(changes)).toMatchObject({ status: 422, body: { code: 'UNREADABLE_BODY' } })
  })

  it('answers a registration in an unknown namespace with 404 and stores nothing', async () => {
    const count = () =>
      server.database
        .system()
        .selectFrom('devices')
        .select((all) => all.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
    const before = await count()
    expect(await register({ tenant_id: randomUUID() })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    expect(await count()).toEqual(before)
  })

  it('answers a refused registration that is repeated for ever without using up the budget of its source', async () => {
    const from = '203.0.113.210'
    const same = { tenant_id: randomUUID() }
    for (let batch = 0; batch < 5; batch += 1) {
      const many = await Promise.all(Array.from({ length: 100 }, () => register(same, '/api/devices/auth', from)))
      expect(new Set(many.map(({ status }) => status))).toEqual(new Set([404]))
    }
    expect((await register({}, '/api/devices/auth', from)).status).toBe(200)
  })

  it('rate-limits registrations per source, with Retry-After', async () => {
    const from = '203.0.113.200'
    const many = Array.from({ length: 201 }, () => register({ tenant_id: randomUUID() }, '/api/devices/auth', from))
    const answers = await Promise.all(many)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(1)
    expect(refused[0]?.headers.get('retry-after')).toBe('1')
    expect((await register({}, '/api/devices/auth', '203.0.113.201')).status).toBe(200)
    clock.advance(1_000)
    expect((await register({}, '/api/devices/auth', from)).status).toBe(200)
  })
})
