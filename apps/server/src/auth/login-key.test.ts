// POST /api/auth/ssh as called by existing agents.
import { testContext } from '../testing/context.ts'
import { createPublicKey, randomBytes, verify } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import { signRegistration } from '@bowline/link/registration-proof'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SecretKey } from '../platform/secrets/seal.ts'
import { type BootedServer, type Person, type RegisteredDevice, bootServer, outcome } from '../testing/boot.ts'
import { beginKeyLogin } from './key-logins.ts'
import { loginKeyOf } from './login-key.ts'

let server: BootedServer
let secret: SecretKey
let person: Person
let device: RegisteredDevice
beforeAll(async () => {
  server = await bootServer()
  secret = new SecretKey(server.secretKey)
  person = await server.setUpAccount()
  device = await proven(await server.acceptedDevice(person))
})
afterAll(() => server.close())

/** The device with a token for which its key has signed. */
async function proven(registered: RegisteredDevice): Promise<RegisteredDevice> {
  const { body, privateKey, statement_key: key } = registered
  const proof = signRegistration(privateKey, body, key, Date.now())
  const answer = await server.client().call(operations.auth.authenticateDevice, { body: { ...body, proof } })
  return { ...registered, token: answer.body.token }
}

const DATA = '{"Username":"root","Namespace":"device"}'

const contextOf = ({ tenant }: Person) => testContext(server.database, tenant)
const signWith = (token: string, fingerprint: string, data = DATA) =>
  server.client(token).call(operations.auth.signChallenge, { body: { fingerprint, data } })

describe('login key of a namespace', () => {
  it('signs a login challenge verifiably with the offered key', async () => {
    const key = await loginKeyOf(contextOf(person), secret)
    const login = await beginKeyLogin(contextOf(person), secret, device.uid, 'root')
    const { body } = await signWith(device.token, key.fingerprint)
    login.end()
    const offered = createPublicKey(key.privateKey)
    const signature = Buffer.from(body.signature, 'base64')
    expect(verify('sha256', Buffer.from(DATA), offered, signature)).toBe(true)
    expect(verify('sha256', Buffer.from(DATA.replace('root', 'ann')), offered, signature)).toBe(false)
  })

  it('creates exactly one login key under concurrent requests', async () => {
    const other = await server.addPerson('crowded')
    const made = await Promise.all(Array.from({ length: 8 }, () => loginKeyOf(contextOf(other), secret)))
    expect(new Set(made.map(({ fingerprint }) => fingerprint)).size).toBe(1)
    expect((await loginKeyOf(contextOf(other), secret)).fingerprint).toBe(made[0]?.fingerprint)
    const { fingerprint } = await loginKeyOf(contextOf(person), secret)
    expect(fingerprint).not.toBe(made[0]?.fingerprint)
  })

  it('seals the login key in the database, bound to its namespace', async () => {
    await loginKeyOf(contextOf(person), secret)
    const other = await server.addPerson('elsewhere')
    await loginKeyOf(contextOf(other), secret)
    const keys = server.database.system().selectFrom('login_keys').selectAll()
    const row = await keys.where('tenant_id', '=', person.tenant).executeTakeFirstOrThrow()
    expect(row.sealed.includes('PRIVATE KEY')).toBe(false)
    const moved = server.database.system().updateTable('login_keys').set({ sealed: row.sealed })
    await moved.where('tenant_id', '=', other.tenant).execute()
    await expect(loginKeyOf(contextOf(other), secret)).rejects.toThrow(/authenticate data/)
    const outsider = new SecretKey(randomBytes(32).toString('hex'))
    await expect(loginKeyOf(contextOf(person), outsider)).rejects.toThrow(/another secret key/)
  })
})

describe('a login that waits', () => {
  const begin = (user: string) => beginKeyLogin(contextOf(person), secret, device.uid, user)
  const fingerprintOf = async () => (await loginKeyOf(contextOf(person), secret)).fingerprint

  it('is signed for with any token of its device, whatever the name in the challenge', async () => {
    const fingerprint = await fingerprintOf()
    const unproven = await server.client().call(operations.auth.authenticateDevice, { body: device.body })
    const login = await begin('root')
    const renamed = '{"Username":"root","Namespace":"an-earlier-name"}'
    expect(await outcome(signWith(unproven.body.token, fingerprint, renamed))).toBe('200')
    login.end()
  })

  it('lets nobody else have anything signed', async () => {
    const fingerprint = await fingerprintOf()
    const other = await proven(await server.acceptedDevice(person))
    const login = await begin('ann')
    expect(await outcome(signWith(device.token, fingerprint))).toBe('404 NOT_FOUND')
    expect(await outcome(signWith(other.token, fingerprint, DATA.replace('root', 'ann')))).toBe('404 NOT_FOUND')
    login.end()
  })

  it('is signed for no more when it is over, nor when it was forgotten', async () => {
    const fingerprint = await fingerprintOf()
    const login = await begin('root')
    login.end()
    await until(async () => (await outcome(signWith(device.token, fingerprint))) === '404 NOT_FOUND')
    await begin('root')
    const rows = server.database
      .system()
      .updateTable('key_logins_under_way')
      .set({ expires_at: new Date(0) })
    await rows.where('device_uid', '=', device.uid).execute()
    expect(await outcome(signWith(device.token, fingerprint))).toBe('404 NOT_FOUND')
  })
})

describe('refusal to sign', () => {
  it('answers a fingerprint of another namespace with 404', async () => {
    const other = await server.addPerson('outsider')
    const { fingerprint } = await loginKeyOf(contextOf(other), secret)
    expect(await outcome(signWith(device.token, fingerprint))).toBe('404 NOT_FOUND')
    const keyless = await proven(await server.acceptedDevice(await server.addPerson('keyless')))
    expect(await outcome(signWith(keyless.token, fingerprint))).toBe('404 NOT_FOUND')
  })

  it.each([
    'bytes of any other protocol',
    '{"Username":"root"}',
    '{"Username":"root","Namespace":"device","More":1}',
    '{"Username":1,"Namespace":"device"}',
    '[]',
  ])('refuses to sign %s: the key signs logins only', async (data) => {
    const { fingerprint } = await loginKeyOf(contextOf(person), secret)
    expect(await outcome(signWith(device.token, fingerprint, data))).toBe('400 INVALID_INPUT data')
  })

  it('refuses to sign for a user token', async () => {
    const { fingerprint } = await loginKeyOf(contextOf(person), secret)
    expect(await outcome(signWith(person.auth.token, fingerprint))).toBe('401 UNAUTHORIZED')
  })
})
