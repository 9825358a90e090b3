// Every operation of the contract, under each of its paths, for every kind of caller: the status is that of the table;
// refused callers change nothing and learn nothing. `ROUTE_MATRIX_FILE` receives the answers.
import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { callPath } from '@bowline/contract/client'
import { ERRORS } from '@bowline/contract/errors'
import { type Operation, pathParameters } from '@bowline/contract/operation'
import { errorCodesOf } from '@bowline/contract/openapi'
import { allOperations } from '@bowline/contract/operations'
import { ROLES } from '@bowline/contract/roles'
import { TenantId } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { shortForm } from '../../../../scripts/short-form.ts'
import { noteFreshProof } from '../auth/fresh-proofs.ts'
import { createTokenIssuer } from '../auth/tokens.ts'
import { loadInstanceKeys } from '../instance/keys.ts'
import { SecretKey } from '../platform/secrets/seal.ts'
import { systemClock } from '@bowline/base/clock'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import {
  CALLERS,
  type Caller,
  type CallerName,
  type MatrixEdition,
  expectedStatus,
  isTriedIn,
} from '../testing/matrix.ts'
import { sampleInput } from '../testing/samples.ts'
import { MARK, type TestTenant, makeTenant } from '../testing/tenant.ts'

function unknown(name: string): never {
  throw new Error(`there is no ${name}`)
}

/** Headers and id of a kind of caller. */
interface Sent {
  readonly headers: Readonly<Record<string, string>>
  /** The caller's own id, for calls that take it. */
  readonly id: string
}

/** An answer as the table has it, for `npm run routes`. */
interface Tried {
  readonly id: string
  readonly path: string
  readonly edition: MatrixEdition
  readonly caller: CallerName
  readonly status: number
}
const tried: Tried[] = []
afterAll(async () => {
  const file = process.env['ROUTE_MATRIX_FILE']
  if (file) await writeFile(file, JSON.stringify(tried))
})

describe.each<MatrixEdition>(['community', 'cloud'])('every operation, in the %s edition', (edition) => {
  let server: BootedServer
  let admin: Person
  let rows: TestTenant
  let foreign: TestTenant
  const senders = new Map<CallerName, Sent>()
  /** The sign-in of the server's administrator. */
  const login = randomUUID()
  const sentBy = (name: CallerName): Sent => senders.get(name) ?? unknown(name)
  beforeAll(async () => {
    server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1', BOWLINE_EDITION: edition } })
    admin = await server.setUpAccount()
    await server.addPerson('newcomer')
    rows = await makeTenantOfNewPeople('ours')
    foreign = await makeTenantOfNewPeople('theirs')
  })
  afterAll(() => server.close())
  // Calls of that sign-in end it: a proof of its own lasts.
  beforeEach(() => noteFreshProof({ db: server.database.system(), clock: systemClock }, admin.id, login))

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
    const id = TenantId.parse(randomUUID())
    const { privateKey } = generateKeyPairSync('ed25519')
    const pem = Buffer.from(privateKey.export({ type: 'pkcs8', format: 'pem' }))
    const authority = new SecretKey(server.secretKey).seal(`user-authority/${id}`, pem)
    const tenant = await makeTenant(server.database, id, members, idOf('pending'), authority)
    const cast = `{"version":3,"term":{"cols":80,"rows":24}}\n[0,"o","${MARK}"]\n`
    await writeFile(join(server.dataFolder, 'recordings', `${tenant.ids.recording}.cast`), cast)
    await addCallers(prefix, tenant, people)
    return tenant
  }

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

  async function addCallers(prefix: 'ours' | 'theirs', tenant: TestTenant, people: Map<string, Person>): Promise<void> {
    const keys = (await loadInstanceKeys(server.database.system(), new SecretKey(server.secretKey))).token
    const issuer = createTokenIssuer(keys, new ManualClock(Date.now()))
    const claimsOf = (name: string) => {
      const { id, username } = people.get(name) ?? unknown(name)
      return { id, origin: 'local', tenant: tenant.id, name: username, mfa: false, epoch: 0 }
    }
    const user = async (name: string): Promise<Sent> => ({
      id: claimsOf(name).id,
      headers: bearer(await issuer.user(claimsOf(name))),
    })
    const key = (role: keyof typeof tenant.ids.keys): Sent => ({
      id: 'x',
      headers: { 'x-api-key': tenant.ids.keys[role] },
    })
    if (prefix === 'theirs') {
      senders.set('owner of another tenant', await user('owner'))
      senders.set('API key of another tenant', key('owner'))
      return
    }
    for (const role of ROLES) senders.set(role, await user(role)).set(`API key: ${role}`, key(role))
    const owner = claimsOf('owner')
    const asOwner = (headers: Sent['headers']): Sent => ({ id: owner.id, headers })
    const forged = (alg: string, sign: (text: string) => string): Sent => {
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const exp = Math.floor(Date.now() / 1_000) + 600
      const text = `${part({ alg, typ: 'JWT' })}.${part({ claims: 'user', ...owner, exp })}`
      return asOwner(bearer(`${text}.${sign(text)}`))
    }
    const secret = keys.publicKey.export({ type: 'spki', format: 'pem' })
    const hs256 = (text: string) => createHmac('sha256', secret).update(text).digest('base64url')
    const longAgo = createTokenIssuer(keys, new ManualClock(Date.now() - 30 * 86_400_000))
    const device = await issuer.device({ uid: tenant.ids.device, tenant: tenant.id, proven: true })
    senders.set('anonymous', asOwner({}))
    senders.set('unknown API key', asOwner({ 'x-api-key': randomUUID() }))
    senders.set('expired token', asOwner(bearer(await longAgo.user(owner))))
    senders.set(
      'forged token, alg none',
      forged('none', () => ''),
    )
    senders.set('forged token, HS256 with the public key', forged('HS256', hs256))
    senders.set('device token', asOwner(bearer(device)))
    senders.set('removed member', await user('removed'))
    senders.set('pending member', await user('pending'))
    // The token that sign-in issues to a user without a namespace.
    const pending = await issuer.user({ ...claimsOf('pending'), tenant: '' })
    senders.set('pending member without a namespace', { id: claimsOf('pending').id, headers: bearer(pending) })
    const { id, username } = admin
    const ofAdmin = { id, origin: 'local', tenant: '' as const, name: username, mfa: false, epoch: 0, login }
    senders.set('administrator of the server', { id, headers: bearer(await issuer.user(ofAdmin)) })
  }

  /** Proxy headers about the caller, sent with every call: from untrusted peers they must have no effect. */
  const claimed = () => ({
    'x-id': rows.owner,
    'x-username': 'ours-owner',
    'x-tenant-id': rows.id,
    'x-role': 'owner',
    'x-device-uid': rows.ids.device,
    'x-real-ip': '127.0.0.1',
    'x-forwarded-for': '127.0.0.1',
  })

  async function call(operation: Operation, id: string, by: Sent): Promise<{ response: Response; text: string }> {
    const input = sampleInput(id, rows, by.id)
    const controller = new AbortController()
    const json = input.body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await server.fetch(callPath(operation, input), {
      method: operation.method,
      headers: { ...claimed(), ...by.headers, ...json },
      ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
      signal: controller.signal,
    })
    const text = operation.stream && response.ok ? '' : await response.text()
    controller.abort()
    return { response, text }
  }

  const ofEdition = allOperations().filter(({ operation }) => isTriedIn(edition, operation))
  // In CI half of them meet the embedded PostgreSQL, and the others that of the operating system.
  const all = shortForm(ofEdition, 2).flatMap(({ id, operation }) =>
    [operation.path, ...(operation.aliases ?? [])].map((path) => ({ id, operation: { ...operation, path }, path })),
  )

  async function judge(id: string, operation: Operation, caller: Caller & { name: CallerName }): Promise<void> {
    const what = `${id} by ${caller.name}`
    const { response, text } = await call(operation, id, sentBy(caller.name))
    tried.push({ id, path: operation.path, edition, caller: caller.name, status: response.status })
    const outcome = { what, status: response.status, text: response.ok ? '' : text }
    expect(outcome).toMatchObject({ status: expectedStatus(id, operation, caller, edition) })
    const documented = errorCodesOf(operation).map((code) => ERRORS[code].status)
    expect([operation.status ?? 200, ...documented]).toContain(response.status)
    const isOutsider = caller.foreign === true || caller.role === undefined
    const { device, session, fingerprint, connector } = rows.ids
    const secrets: string[] = [device, session, fingerprint, connector]
    // The roles that groups give name their namespaces to whoever administers the server.
    const isAdministrator = caller.name === 'administrator of the server'
    const seesNames = isAdministrator && id.startsWith('singleSignOn.')
    // Namespaces of the whole server, and what was done in them.
    if (isAdministrator && id.startsWith('administration.')) secrets.length = 0
    else if (!seesNames) secrets.push(`${MARK}-${rows.id.slice(0, 8)}`)
    // Members of another namespace see their own marks.
    if (!caller.foreign && !seesNames && secrets.length > 0) secrets.push(MARK)
    // The answer about a missing route repeats its path.
    const body = text.replace(new URL(response.url).pathname, '')
    const seen = `${body} ${JSON.stringify([...response.headers])}`
    const leaked = isOutsider ? secrets.filter((secret) => seen.includes(secret)) : []
    expect([what, leaked]).toEqual([what, []])
  }

  it.each(all)('gives every caller the documented status: $id at $path', async ({ id, operation }) => {
    await rows.reset()
    await foreign.reset()
    const before = await rows.fingerprint()
    const callers: readonly (Caller & { name: CallerName })[] = CALLERS
    // Callers who are refused, or act in a namespace of their own, change nothing here.
    const without = callers.filter((caller) => caller.foreign || expectedStatus(id, operation, caller, edition) >= 400)
    for (const caller of without) {
      await judge(id, operation, caller)
      if (caller.foreign && operation.method !== 'GET') await foreign.reset()
    }
    expect(await rows.fingerprint()).toBe(before)
    // Callers who may change something here change nothing there.
    const foreignBefore = await foreign.fingerprint()
    for (const caller of callers.filter((one) => !without.includes(one))) {
      await judge(id, operation, caller)
      if (operation.method !== 'GET') await rows.reset()
    }
    expect(await foreign.fingerprint()).toBe(foreignBefore)
  })

  it('counts only rows of the caller’s namespace in totals', async () => {
    await rows.reset()
    await foreign.reset()
    const total = async ({ id, operation }: (typeof ofEdition)[number], name: CallerName) => {
      const { headers } = sentBy(name)
      const response = await server.fetch(callPath(operation, sampleInput(id, rows, '')), { headers })
      return response.headers.get('x-total-count')
    }
    const lists = ofEdition.filter(({ operation }) => {
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
