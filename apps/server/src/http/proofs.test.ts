// Fresh proofs of every operation, against a running server: a person whose sign-in is old is asked where the contract's
// table says so, and nowhere else.
import { randomUUID } from 'node:crypto'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { callPath } from '@bowline/contract/client'
import type { Operation } from '@bowline/contract/operation'
import { allOperations, operations } from '@bowline/contract/operations'
import { asksOf } from '@bowline/contract/proofs/proofs'
import { TenantId } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, PASSWORD, bootServer } from '../testing/boot.ts'
import { sampleInput } from '../testing/samples.ts'
import { type TestTenant, makeTenant } from '../testing/tenant.ts'

const OLD_MS = 11 * 60_000
let clock: ManualClock
let server: BootedServer
let admin: Person
let owner: Person
let rows: TestTenant
/** Of the owner, in the namespace of the rows. */
let token: string
beforeAll(async () => {
  clock = new ManualClock(Date.now())
  server = await bootServer({ clock, settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1', BOWLINE_EDITION: 'cloud' } })
  admin = await server.setUpAccount()
  owner = await server.addPerson('an-owner')
  const others = []
  for (const name of ['an-observer', 'an-operator', 'an-administrator', 'a-pending'])
    others.push(await server.addPerson(name))
  const [observer, operator, administrator, pending] = others.map(({ id }) => id)
  if (!observer || !operator || !administrator || !pending) throw new Error('people are missing')
  const people = { observer, operator, administrator, owner: owner.id }
  rows = await makeTenant(server.database, TenantId.parse(randomUUID()), people, pending)
  await askForFactor()
  token = (await owner.client.call(operations.auth.switchNamespace, { params: { tenant: rows.id } })).body.token
  clock.advance(OLD_MS)
})
afterAll(() => server.close())

async function askForFactor(): Promise<void> {
  const namespace = server.database.system().updateTable('namespaces').where('tenant_id', '=', rows.id)
  await namespace.set({ settings: { ssh_second_factor: true } }).execute()
}

/** True if the call was refused for want of a proof. */
async function isAsked(id: string, operation: Operation, bearer: string, self: string): Promise<boolean> {
  const input = sampleInput(id, rows, self)
  const controller = new AbortController()
  const response = await server.fetch(callPath(operation, input), {
    method: operation.method,
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    signal: controller.signal,
  })
  const text = response.ok ? '' : await response.text()
  controller.abort()
  return text.includes('FRESH_PROOF_REQUIRED')
}

const inNamespace = allOperations().filter(({ operation }) => operation.access.kind === 'member')
const ofServer = allOperations().filter(({ operation }) => operation.access.kind === 'instance-admin')
/** Inputs of these decide; the tests of their use cases have both kinds. */
const byTable = ({ operation }: { operation: Operation }): boolean => asksOf(operation) !== 'handler'

describe('a member with an old sign-in, in a namespace whose logins need a second factor', () => {
  it.each(inNamespace.filter(byTable))('is asked as the table says: $id', async ({ id, operation }) => {
    await rows.reset()
    await askForFactor()
    const before = await rows.fingerprint()
    const asked = await isAsked(id, operation, token, owner.id)
    const isUntouched = !asked || (await rows.fingerprint()) === before
    expect([asked, isUntouched]).toEqual([asksOf(operation) !== 'nobody', true])
  })

  it.each(inNamespace.filter(({ operation }) => asksOf(operation) === 'access'))(
    'is not asked where logins need none: $id',
    async ({ id, operation }) => {
      await rows.reset()
      expect(await isAsked(id, operation, token, owner.id)).toBe(false)
    },
  )
})

describe('an administrator of the server with an old sign-in', () => {
  it.each(ofServer.filter(byTable))('is asked as the table says: $id', async ({ id, operation }) => {
    expect(await isAsked(id, operation, admin.auth.token, admin.id)).toBe(asksOf(operation) !== 'nobody')
  })

  it.each(ofServer.filter(({ operation }) => asksOf(operation) === 'everybody'))(
    'passes with the password: $id',
    async ({ id, operation }) => {
      const again = { username: admin.username, password: PASSWORD }
      const { body } = await server.client().call(operations.auth.login, { body: again })
      expect(await isAsked(id, operation, body.token, admin.id)).toBe(false)
    },
  )
})

describe('settings of a namespace whose logins need a second factor', () => {
  const change = async (settings: object): Promise<boolean> => {
    const response = await server.fetch(`/api/namespaces/${rows.id}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ settings }),
    })
    return (await response.text()).includes('FRESH_PROOF_REQUIRED')
  }

  it.each([
    { session_record: false },
    { recording_policy: 'required' },
    { recording_retention_days: 1 },
    { forwarding: false },
    { forwarding_unrecorded: true },
    { end_disallowed_sessions: false },
    { joining: false },
    { access_requests: false },
    { access_request_hours: 24 },
  ])('change with a proof only: %o', async (settings) => {
    await rows.reset()
    const namespace = server.database.system().updateTable('namespaces').where('tenant_id', '=', rows.id)
    await namespace.set({ settings: { ssh_second_factor: true }, session_record: true }).execute()
    expect(await change(settings)).toBe(true)
    await namespace.set({ settings: {}, session_record: true }).execute()
    expect(await change(settings)).toBe(false)
  })

  it('change without one as far as they are texts', async () => {
    await rows.reset()
    await askForFactor()
    expect(await change({ connection_announcement: 'Welcome.' })).toBe(false)
  })
})
