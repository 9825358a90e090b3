// Every operation of the contract for every kind of caller. What must come out follows from the contract alone: its
// access, its permission, whether keys may call, whether it is built and in which edition. The few answers that depend
// on the sample input are in one table below.
import { createHmac, randomUUID } from 'node:crypto'
import { callPath } from '@bowline/contract/client'
import { ERRORS } from '@bowline/contract/errors'
import { type Operation, pathParameters } from '@bowline/contract/operation'
import { errorCodesOf } from '@bowline/contract/openapi'
import { allOperations } from '@bowline/contract/operations'
import { ROLES, type Role, roleMay } from '@bowline/contract/roles'
import { TenantId } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTokenIssuer } from '../auth/tokens.ts'
import { loadInstanceKeys } from '../instance/keys.ts'
import { SecretKey } from '../platform/seal.ts'
import { fakeClock } from '../platform/testing.ts'
import { type BootedServer, type Person, bootServer } from '../testing.ts'
import { sampleInput } from './testing-samples.ts'
import { MARK, type TestTenant, makeTenant } from './testing-tenant.ts'

function unknown(name: string): never {
  throw new Error(`there is no ${name}`)
}

type Edition = 'community' | 'cloud'

interface Caller {
  readonly headers: Readonly<Record<string, string>>
  /** The caller's own id, for the calls that name it. */
  readonly id: string
  readonly kind: 'nobody' | 'device' | 'user' | 'api-key'
  /** In the namespace of the credential; none: the credential belongs to no namespace. */
  readonly role?: Role
  /** The namespace of the credential is another one than that of the rows. */
  readonly foreign?: true
}

/** Answers of calls that need no credential: their samples are wrong on purpose, but for the readings. */
const PUBLIC: Readonly<Record<string, number>> = {
  'auth.login': 401,
  'auth.createSession': 401,
  'auth.refreshSession': 401,
  'auth.authenticateDevice': 404,
  'instance.setup': 403,
  'announcements.get': 404,
}

/** Paths of these name rows by words that every namespace may use. */
const NAMES: readonly string[] = ['api-keys', 'tags']

/** The status that the contract asks for. */
function expectedStatus(id: string, operation: Operation, caller: Caller, edition: Edition): number {
  const { access } = operation
  if (access.kind === 'device' && caller.kind !== 'device') return 401
  if (access.kind === 'user' || access.kind === 'member') {
    if (caller.kind === 'nobody' || caller.kind === 'device') return 401
    if (caller.kind === 'api-key' && (access.kind === 'user' || !access.keys)) return 403
  }
  if (access.kind === 'member') {
    if (caller.role === undefined) return 403
    if (access.permission && !roleMay(caller.role, access.permission)) return 403
    // The tenant in a path is looked at before the call itself.
    if (caller.foreign && pathParameters(operation.path).includes('tenant')) return 404
  }
  if (operation.cloudOnly && edition !== 'cloud') return 404
  if (operation.notYet) return 501
  if (access.kind === 'public') return PUBLIC[id] ?? 200
  const namesRow = pathParameters(operation.path).length > 0 && !NAMES.includes(operation.noun)
  if (access.kind === 'member' && caller.foreign && namesRow) return 404
  return bySample(id, caller, edition) ?? operation.status ?? 200
}

/** What is right for the sample, but no success. */
function bySample(id: string, caller: Caller, edition: Edition): number | undefined {
  if (id === 'users.updatePassword') return 400
  if (id === 'auth.switchNamespace' && (caller.foreign || caller.role === undefined)) return 404
  if (id === 'members.leave' && caller.foreign) return 404
  if (id === 'members.leave' && caller.role === 'owner') return 403
  if (id === 'namespaces.support' && edition === 'cloud') return 402
  if (id === 'billing.chooseDevices' && caller.foreign) return 400
  return undefined
}

describe.each<Edition>(['community', 'cloud'])('every operation, in the %s edition', (edition) => {
  let server: BootedServer
  let rows: TestTenant
  let foreign: TestTenant
  const callers = new Map<string, Caller>()
  beforeAll(async () => {
    server = await bootServer({ settings: { BOWLINE_EDITION: edition } })
    await server.setUpAccount()
    await server.addPerson('newcomer')
    rows = await makeTenantOfNewPeople('ours')
    foreign = await makeTenantOfNewPeople('theirs')
  })
  afterAll(() => server.close())

  async function makeTenantOfNewPeople(prefix: 'ours' | 'theirs'): Promise<TestTenant> {
    const people = new Map<string, Person>()
    for (const name of [...ROLES, 'pending', 'removed']) people.set(name, await server.addPerson(`${prefix}-${name}`))
    const idOf = (name: string) => people.get(name)?.id ?? unknown(name)
    const members = {
      observer: idOf('observer'),
      operator: idOf('operator'),
      administrator: idOf('administrator'),
      owner: idOf('owner'),
    }
    const tenant = await makeTenant(server.database, TenantId.parse(randomUUID()), members, idOf('pending'))
    await addCallers(prefix, tenant, people)
    return tenant
  }

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  async function addCallers(prefix: 'ours' | 'theirs', tenant: TestTenant, people: Map<string, Person>): Promise<void> {
    const keys = (await loadInstanceKeys(server.database.system(), new SecretKey(server.secretKey))).token
    const issuer = createTokenIssuer(keys, fakeClock(Date.now()))
    const claimsOf = (name: string) => {
      const { id, username } = people.get(name) ?? unknown(name)
      return { id, origin: 'local', tenant: tenant.id, name: username, mfa: false, epoch: 0 }
    }
    const user = async (name: string) => ({
      kind: 'user' as const,
      id: claimsOf(name).id,
      headers: bearer(await issuer.user(claimsOf(name))),
    })
    if (prefix === 'theirs') {
      callers.set('owner of another tenant', { ...(await user('owner')), role: 'owner', foreign: true })
      const headers = { 'x-api-key': tenant.ids.keys.owner }
      callers.set('API key of another tenant', { kind: 'api-key', id: 'x', headers, role: 'owner', foreign: true })
      return
    }
    for (const role of ROLES) {
      callers.set(role, { ...(await user(role)), role })
      const headers = { 'x-api-key': tenant.ids.keys[role] }
      callers.set(`API key with the role ${role}`, { kind: 'api-key', id: 'x', headers, role })
    }
    const owner = claimsOf('owner')
    const nobody = { kind: 'nobody' as const, id: owner.id }
    const forged = (alg: string, sign: (text: string) => string): Caller => {
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const exp = Math.floor(Date.now() / 1_000) + 600
      const text = `${part({ alg, typ: 'JWT' })}.${part({ claims: 'user', ...owner, exp })}`
      return { ...nobody, headers: bearer(`${text}.${sign(text)}`) }
    }
    const secret = keys.publicKey.export({ type: 'spki', format: 'pem' })
    const longAgo = createTokenIssuer(keys, fakeClock(Date.now() - 30 * 86_400_000))
    const device = await issuer.device({ uid: tenant.ids.device, tenant: tenant.id })
    callers.set('anonymous', { ...nobody, headers: {} })
    callers.set('unknown API key', { ...nobody, headers: { 'x-api-key': randomUUID() } })
    callers.set('expired token', { ...nobody, headers: bearer(await longAgo.user(owner)) })
    callers.set(
      'forged token, alg none',
      forged('none', () => ''),
    )
    callers.set(
      'forged token, HS256 with the public key',
      forged('HS256', (text) => createHmac('sha256', secret).update(text).digest('base64url')),
    )
    callers.set('device token', { kind: 'device', id: owner.id, headers: bearer(device) })
    callers.set('removed member', { ...nobody, headers: (await user('removed')).headers })
    callers.set('member whose invitation is pending', { ...nobody, headers: (await user('pending')).headers })
    // As sign-in makes it for somebody who is in no namespace yet.
    const pending = await issuer.user({ ...claimsOf('pending'), tenant: '' })
    callers.set('pending member without a namespace', {
      kind: 'user',
      id: claimsOf('pending').id,
      headers: bearer(pending),
    })
  }

  async function call(operation: Operation, id: string, caller: Caller): Promise<{ response: Response; text: string }> {
    const input = sampleInput(id, rows, caller.id)
    const controller = new AbortController()
    const response = await server.fetch(callPath(operation, input), {
      method: operation.method,
      headers: { ...caller.headers, ...(input.body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      signal: controller.signal,
    })
    const text = operation.stream && response.ok ? '' : await response.text()
    controller.abort()
    return { response, text }
  }

  const published = allOperations().filter(({ operation }) => operation.access.kind !== 'internal')
  /** Calls that are the same in every edition are tried in one of them. */
  const differing = ['members', 'namespaces', 'billing']
  const tried = published.filter(
    ({ operation }) => edition === 'community' || operation.cloudOnly || differing.includes(operation.noun),
  )

  async function judge(id: string, operation: Operation, name: string, caller: Caller): Promise<void> {
    const what = `${id} by ${name}`
    const { response, text } = await call(operation, id, caller)
    const outcome = { what, status: response.status, text: response.ok ? '' : text }
    expect(outcome).toMatchObject({ status: expectedStatus(id, operation, caller, edition) })
    const documented = errorCodesOf(operation).map((code) => ERRORS[code].status)
    expect([operation.status ?? 200, ...documented]).toContain(response.status)
    const isStranger = caller.foreign === true || caller.role === undefined
    const { device, session, fingerprint, connector } = rows.ids
    const secrets = [`${MARK}-${rows.id.slice(0, 8)}`, device, session, fingerprint, connector]
    // Members of another namespace see marks of their own.
    if (!caller.foreign) secrets.push(MARK)
    const seen = `${text} ${JSON.stringify([...response.headers])}`
    const leaked = isStranger ? secrets.filter((secret) => seen.includes(secret)) : []
    expect([what, leaked]).toEqual([what, []])
  }

  it.each(tried)('$id', async ({ id, operation }) => {
    await rows.reset()
    await foreign.reset()
    const before = await rows.fingerprint()
    const status = (caller: Caller) => expectedStatus(id, operation, caller, edition)
    const all = [...callers]
    // Whoever is refused, or acts in a namespace of their own, changes nothing here.
    const without = all.filter(([, caller]) => caller.foreign || status(caller) >= 400)
    for (const [name, caller] of without) {
      await judge(id, operation, name, caller)
      if (caller.foreign && operation.method !== 'GET') await foreign.reset()
    }
    expect(await rows.fingerprint()).toBe(before)
    // And whoever may change something here changes nothing there.
    const foreignBefore = await foreign.fingerprint()
    for (const [name, caller] of all.filter((entry) => !without.includes(entry))) {
      await judge(id, operation, name, caller)
      if (operation.method !== 'GET') await rows.reset()
    }
    expect(await foreign.fingerprint()).toBe(foreignBefore)
  })

  it('totals count the rows of the own namespace only', async () => {
    await rows.reset()
    await foreign.reset()
    const total = async ({ id, operation }: (typeof published)[number], name: string) => {
      const headers = callers.get(name)?.headers ?? unknown(name)
      const response = await server.fetch(callPath(operation, sampleInput(id, rows, '')), { headers })
      return response.headers.get('x-total-count')
    }
    const lists = tried.filter(({ operation }) => {
      const isOwn = operation.total && operation.access.kind === 'member' && !pathParameters(operation.path).length
      return isOwn && (edition === 'cloud' || !operation.cloudOnly)
    })
    expect(lists.length).toBeGreaterThan(0)
    const totals = () => Promise.all(lists.map(async (list) => [list.id, await total(list, 'owner')]))
    const before = await totals()
    await server.database.system().deleteFrom('namespaces').where('tenant_id', '=', foreign.id).execute()
    expect(await totals()).toEqual(before)
    await foreign.reset()
    const elsewhere = lists.filter(({ id }) => id !== 'audit.list')
    for (const list of elsewhere) {
      expect([list.id, await total(list, 'owner of another tenant')]).toEqual(before.find(([id]) => id === list.id))
    }
  })
})
