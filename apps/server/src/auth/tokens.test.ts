// Bearer tokens: validation by the issuer, and the server's reaction to forged or stale tokens.
import { constants, createHmac, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type InstanceKeys, loadInstanceKeys } from '../instance/keys.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { createTokenIssuer } from './tokens.ts'

let clock: ManualClock
let server: BootedServer
let ada: Person
let keys: InstanceKeys['token']
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock })
  ada = await server.setUpAccount()
  keys = (await loadInstanceKeys(server.database.system(), new SecretKey(server.secretKey))).token
})
afterAll(() => server.close())

const { RSA_PKCS1_PSS_PADDING } = constants
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const seconds = () => Math.floor(clock.now() / 1_000)

/** Claims of a token that the server would issue now. */
function claims(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const { id, tenant } = ada
  const times = { iat: seconds(), nbf: seconds(), exp: seconds() + 600, jti: randomUUID() }
  return { claims: 'user', id, origin: 'local', tenant, name: 'ada', mfa: false, epoch: 0, ...times, ...changes }
}

/** Signs claims with the instance's own key, so that only the claims or header differ from a valid token. */
function rs256(payload: Record<string, unknown>, header: Record<string, unknown> = {}, key = keys.privateKey): string {
  const text = `${encode({ alg: 'RS256', typ: 'JWT', ...header })}.${encode(payload)}`
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}

/** A current token, correctly signed with another algorithm. */
function signed(alg: string, signature: (text: Buffer) => Buffer): string {
  const text = `${encode({ alg, typ: 'JWT' })}.${encode(claims())}`
  return `${text}.${signature(Buffer.from(text)).toString('base64url')}`
}

async function statusWith(authorization: string): Promise<number> {
  const responses = await Promise.all(
    ['/api/stats', '/api/namespaces'].map((path) => server.fetch(path, { headers: { authorization } })),
  )
  const [first, second] = responses.map(({ status }) => status)
  expect(second).toBe(first)
  return first ?? 0
}

describe('bearer token', () => {
  it('accepts a bearer token with the scheme in any case or without it, as existing clients send it', async () => {
    const token = rs256(claims())
    for (const header of [`Bearer ${token}`, `bearer ${token}`, token]) expect(await statusWith(header)).toBe(200)
  })

  it.each<[string, () => string]>([
    ['nothing at all', () => ''],
    ['a malformed token', () => 'Bearer nonsense'],
    ['the scheme only', () => 'Bearer '],
    ['basic credentials', () => 'Basic YWRhOnNlY3JldA=='],
    ['no algorithm', () => `${encode({ alg: 'none' })}.${encode(claims())}.`],
    ['no algorithm, in capitals', () => `${encode({ alg: 'NONE', typ: 'JWT' })}.${encode(claims())}.`],
    [
      'HS256 with the public key as the secret',
      () => {
        const text = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims())}`
        const secret = keys.publicKey.export({ type: 'spki', format: 'pem' })
        return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
      },
    ],
    ['RS512 by the right key', () => signed('RS512', (text) => sign('sha512', text, keys.privateKey))],
    [
      'PS256 by the right key',
      () =>
        signed('PS256', (text) =>
          sign('sha256', text, { key: keys.privateKey, padding: RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
        ),
    ],
    [
      'another key, which it carries itself',
      () => {
        const own = generateKeyPairSync('rsa', { modulusLength: 2048 })
        const jwk = own.publicKey.export({ format: 'jwk' })
        return rs256(claims(), { jwk, kid: 'mine', jku: 'https://evil.example/keys' }, own.privateKey)
      },
    ],
    ['a critical extension nobody knows', () => rs256(claims(), { crit: ['x'], x: 1 })],
    ['a changed payload', () => rs256(claims()).replace(/\.[^.]*\./, `.${encode(claims({ tenant: randomUUID() }))}.`)],
    ['no expiry', () => rs256(claims({ exp: undefined }))],
    ['a textual expiry', () => rs256(claims({ exp: String(seconds() + 600) }))],
    ['another kind', () => rs256(claims({ claims: 'device' }))],
    ['no kind', () => rs256(claims({ claims: undefined }))],
    ['an earlier epoch', () => rs256(claims({ epoch: -1 }))],
    ['a later epoch', () => rs256(claims({ epoch: 1 }))],
    ['an unknown user', () => rs256(claims({ id: 'f'.repeat(24) }))],
    ['a tenant of somebody else', () => rs256(claims({ tenant: randomUUID() }))],
    ['an invalid tenant', () => rs256(claims({ tenant: 'x' }))],
    ['an unknown browser session', () => rs256(claims({ family: randomUUID() }))],
    ['an invalid browser session', () => rs256(claims({ family: '' }))],
    ['five thousand characters', () => `Bearer ${'a'.repeat(5_000)}`],
  ])('answers a token with %s with 401', async (_, authorization) => {
    expect(await statusWith(authorization())).toBe(401)
  })

  it('refuses a device token on user routes', async () => {
    const device = await server.acceptedDevice(ada)
    expect(await statusWith(`Bearer ${device.token}`)).toBe(401)
  })

  it('allows 60 seconds of clock skew for token validity', async () => {
    const at = (from: number, to: number) => statusWith(rs256(claims({ nbf: seconds() + from, exp: seconds() + to })))
    expect(await at(0, -59)).toBe(200)
    expect(await at(0, -61)).toBe(401)
    expect(await at(59, 600)).toBe(200)
    expect(await at(61, 600)).toBe(401)
  })

  it('accepts a sign-in token for 72 hours', async () => {
    const own = await server.addPerson('seventytwo')
    const header = `Bearer ${own.auth.token}`
    clock.advance(72 * 3_600_000 + 59_000)
    expect(await statusWith(header)).toBe(200)
    clock.advance(2_000)
    expect(await statusWith(header)).toBe(401)
  })

  it('rejects tokens from before an increase of the user’s epoch', async () => {
    const grace = await server.addPerson('grace')
    const users = server.database.system().updateTable('users')
    await users.set({ token_epoch: 1 }).where('id', '=', grace.id).execute()
    expect(await statusWith(`Bearer ${grace.auth.token}`)).toBe(401)
  })

  it('rejects tokens of a user who is no longer confirmed', async () => {
    const linus = await server.addPerson('linus')
    const users = server.database.system().updateTable('users')
    await users.set({ status: 'not-confirmed' }).where('id', '=', linus.id).execute()
    expect(await statusWith(`Bearer ${linus.auth.token}`)).toBe(401)
  })

  it('rejects namespace tokens of pending and former members', async () => {
    const guest = await server.addPerson('guest')
    await server.addMember(ada.tenant, guest.id, 'observer')
    const { body } = await guest.client.call(operations.auth.switchNamespace, { params: { tenant: ada.tenant } })
    expect(body).toMatchObject({ tenant: ada.tenant, role: 'observer' })
    expect(await statusWith(`Bearer ${body.token}`)).toBe(200)
    const members = server.database.system().updateTable('members')
    await members.set({ status: 'pending' }).where('user_id', '=', guest.id).where('role', '!=', 'owner').execute()
    expect(await statusWith(`Bearer ${body.token}`)).toBe(401)
    await server.removeMember(ada.tenant, guest.id)
    expect(await statusWith(`Bearer ${body.token}`)).toBe(401)
    expect(await statusWith(`Bearer ${guest.auth.token}`)).toBe(200)
  })

  it('applies a changed role to tokens already issued', async () => {
    const operator = await server.addPerson('operator')
    await server.addMember(ada.tenant, operator.id, 'operator')
    const { body } = await operator.client.call(operations.auth.switchNamespace, { params: { tenant: ada.tenant } })
    const { uid } = await server.registerDevice(ada.tenant)
    const reject = () =>
      server.fetch(`/api/devices/${uid}/reject`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${body.token}` },
      })
    expect((await reject()).status).toBe(200)
    const members = server.database.system().updateTable('members')
    await members.set({ role: 'observer' }).where('user_id', '=', operator.id).where('role', '=', 'operator').execute()
    const refused = await reject()
    expect([refused.status, await refused.json()]).toMatchObject([403, { code: 'FORBIDDEN' }])
  })

  it('answers a token without a namespace with 403 only where one is required', async () => {
    const lone = await server.addPerson('lone')
    await server.removeMember(lone.tenant, lone.id)
    const token = rs256(claims({ id: lone.id, tenant: '', name: 'lone' }))
    const stats = await server.fetch('/api/stats', { headers: { authorization: `Bearer ${token}` } })
    expect([stats.status, await stats.json()]).toMatchObject([403, { code: 'NO_NAMESPACE' }])
    const list = await server.client(token).call(operations.namespaces.list, {})
    expect(list).toMatchObject({ body: [], total: 0 })
  })
})

describe('token issuer', () => {
  const issuer = () => createTokenIssuer(keys, clock)

  it('reads each kind of token only as that kind', async () => {
    const { uid } = await server.registerDevice(ada.tenant)
    const device = await issuer().device({ uid, tenant: ada.tenant, proven: true })
    expect(await issuer().readDevice(device)).toEqual({ claims: 'device', uid, tenant: ada.tenant, proven: true })
    expect(await issuer().readUser(device)).toBeUndefined()
    expect(await issuer().readDevice(rs256(claims()))).toBeUndefined()
  })

  it('issues device tokens without expiry', async () => {
    const { uid } = await server.registerDevice(ada.tenant)
    const device = await issuer().device({ uid, tenant: ada.tenant, proven: true })
    clock.advance(10 * 365 * 86_400_000)
    expect(await issuer().readDevice(device)).toMatchObject({ uid })
  })

  it('never issues the same token twice', async () => {
    const user = { id: ada.id, origin: 'local', tenant: ada.tenant, name: 'ada', mfa: false, epoch: 0 }
    expect(await issuer().user(user)).not.toBe(await issuer().user(user))
  })
})

describe('namespace switch', () => {
  it('answers a switch to a namespace without accepted membership with 404', async () => {
    const outsider = await server.addPerson('outsider')
    const swap = (tenant: string) => outsider.client.call(operations.auth.switchNamespace, { params: { tenant } })
    await expect(swap(ada.tenant)).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
    await expect(swap(randomUUID())).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
    await server.addMember(ada.tenant, outsider.id, 'observer')
    const members = server.database.system().updateTable('members')
    await members.set({ status: 'pending' }).where('user_id', '=', outsider.id).where('role', '!=', 'owner').execute()
    await expect(swap(ada.tenant)).rejects.toMatchObject({ status: 404 })
  })

  it('remembers the switched namespace at the next sign-in, through both paths', async () => {
    const both = await server.addPerson('both')
    await server.addMember(ada.tenant, both.id, 'observer')
    const headers = { authorization: `Bearer ${both.auth.token}` }
    const swapped = await server.fetch(`/api/token/${ada.tenant.toUpperCase()}`, { headers })
    expect([swapped.status, await swapped.json()]).toMatchObject([200, { tenant: ada.tenant, role: 'observer' }])
    const credentials = { username: both.username, password: both.password }
    const { body } = await server.client().call(operations.auth.login, { body: credentials })
    expect(body.tenant).toBe(ada.tenant)
    await server.removeMember(ada.tenant, both.id)
    const again = await server.client().call(operations.auth.login, { body: credentials })
    expect(again.body).toMatchObject({ tenant: both.tenant, role: 'owner' })
  })
})

describe('signed-in user', () => {
  it('returns the signed-in user with a new token', async () => {
    const { body } = await (await server.addPerson('fresh')).client.call(operations.auth.getUser, {})
    expect(body).toMatchObject({ user: 'fresh', role: 'owner' })
    expect(await statusWith(`Bearer ${body.token}`)).toBe(200)
  })
})
