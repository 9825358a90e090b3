// Tenant isolation: every operation of the contract, with ids of a namespace that the caller is not, or no longer, a
// member of. A new operation is included by being declared.
import { callPath } from '@bowline/contract/client'
import type { Operation } from '@bowline/contract/operation'
import { allOperations, operations } from '@bowline/contract/operations'
import { example } from '@bowline/contract/testing'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { type World, paramsOf, populate } from '../testing/http-server.ts'

let server: BootedServer
let theirs: World
let mine: World
/** Tokens for the other namespace, of people who lost their membership. */
let removed: string
let pending: string
/** Nothing in this file may change it. */
let rowsBefore: unknown
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1' } })
  theirs = await populate(server, await server.setUpAccount())
  mine = await populate(server, await server.addPerson('outsider'))
  removed = await former('removed', (person) => server.removeMember(theirs.owner.tenant, person.id))
  pending = await former('pending', async ({ id }) => {
    const members = server.database.system().updateTable('members')
    await members.set({ status: 'pending' }).where('user_id', '=', id).where('role', '!=', 'owner').execute()
  })
  rowsBefore = await theirRows()
})
afterAll(() => server.close())

async function former(username: string, end: (person: Person) => Promise<void>): Promise<string> {
  const person = await server.addPerson(username)
  const { tenant } = theirs.owner
  await server.addMember(tenant, person.id, 'administrator')
  const { body } = await person.client.call(operations.auth.switchNamespace, { params: { tenant } })
  await end(person)
  return body.token
}

/** A hash of every row of the other namespace and of its people. */
async function theirRows(): Promise<unknown> {
  const db = server.database.system()
  const { tenant, id } = theirs.owner
  const { rows: tables } = await sql<{ table: string }>`
    select table_name as table from information_schema.columns
    where table_schema = 'public' and column_name = 'tenant_id' order by 1`.execute(db)
  const hash = (from: ReturnType<typeof sql>) =>
    sql`(select md5(coalesce(string_agg(row::text, ',' order by row::text), '')) from ${from})`
  const hashes = tables.map(({ table }) => hash(sql`${sql.table(table)} as row where row.tenant_id = ${tenant}`))
  const people = hash(sql`users as row where row.id in (${id}, ${theirs.member.id})`)
  const { rows } = await sql`select ${sql.join([...hashes, people])}`.execute(db)
  return [tables.length, rows]
}

async function expectTheirRowsUntouched({ method }: Operation): Promise<void> {
  expect(method === 'GET' ? rowsBefore : await theirRows()).toEqual(rowsBefore)
}

interface Answer {
  readonly status: number
  readonly text: string
}

/** Calls an operation with valid input. A stream is left after its head. */
async function call(
  operation: Operation,
  params: Record<string, string>,
  headers: Record<string, string>,
): Promise<Answer> {
  // A different seed for each operation, so that what one adds does not block the next.
  const seed = Buffer.from(operation.method + operation.path).reduce((sum, byte) => sum + byte, 0)
  // Changing the address needs the current password, which no example has.
  const made = operation === operations.users.updateData ? { name: 'Some Body' } : undefined
  const body = operation.body && JSON.stringify(made ?? example(operation.body, seed))
  const response = await server.fetch(callPath(operation, { params }), {
    method: operation.method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body }),
  })
  if (operation.stream && response.ok) {
    await response.body?.cancel()
    return { status: response.status, text: '' }
  }
  return { status: response.status, text: await response.text() }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const guarded = allOperations().filter(
  ({ operation: { access } }) => access.kind === 'user' || access.kind === 'member',
)
const reading = guarded.filter(({ operation }) => operation.method === 'GET')
// Announcements belong to no namespace.
const aimed = guarded.filter(({ operation }) => operation.path.includes('{') && operation.noun !== 'announcements')

/** Statuses for something that does not exist or is not theirs. */
const HIDES = [401, 403, 404]

describe('tenant isolation', () => {
  it.each(aimed)('rejects ids of another namespace: $id', async ({ operation }) => {
    const params = paramsOf(operation, theirs)
    const credentials = [bearer(mine.owner.auth.token), { 'x-api-key': mine.apiKey }]
    // The same with the caller's own namespace in the path, where there is one in it.
    const targets = [params, ...('tenant' in params ? [{ ...params, tenant: mine.owner.tenant }] : [])]
    for (const headers of credentials) {
      for (const target of targets) {
        // Nothing of theirs is named when the only id is the caller's own namespace.
        if (Object.values(target).every((value) => value === mine.owner.tenant || value === 'pending')) continue
        const { status, text } = await call(operation, target, headers)
        expect([HIDES.includes(status), status, text]).toEqual([true, status, expect.anything()])
        expect(text).not.toContain(theirs.marker)
      }
    }
    await expectTheirRowsUntouched(operation)
  })

  it.each(reading)('includes nothing of another namespace in answers: $id', async ({ operation }) => {
    const { text } = await call(operation, paramsOf(operation, mine), bearer(mine.owner.auth.token))
    for (const trace of [theirs.marker, theirs.owner.tenant, theirs.device.uid, theirs.owner.id]) {
      expect(text).not.toContain(trace)
    }
  })

  it.each(guarded)('rejects removed, pending and unknown callers: $id', async ({ operation }) => {
    const credentials = [bearer(removed), bearer(pending), bearer(theirs.device.token), {}]
    const params = paramsOf(operation, theirs)
    const answers = await Promise.all(credentials.map((headers) => call(operation, params, headers)))
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
    await expectTheirRowsUntouched(operation)
  })
})

describe('ids used by these tests', () => {
  it('grants the owner access by every id that these tests use', async () => {
    const missing = new Set<string>()
    const opened = new Set<string>()
    // Removals come last, the namespace itself at the very end.
    const order = aimed.toSorted((a, b) => harm(a.operation) - harm(b.operation))
    for (const { operation } of order) {
      const params = paramsOf(operation, theirs)
      const { status } = await call(operation, params, bearer(theirs.owner.auth.token))
      for (const [name, value] of Object.entries(params)) (status < 400 ? opened : missing).add(`${name}=${value}`)
    }
    expect([...missing].filter((pair) => !opened.has(pair))).toEqual([])
  })
})

function harm({ method, path }: Operation): number {
  if (method === 'DELETE' && path === operations.namespaces.remove.path) return Infinity
  return ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'].indexOf(method) * 100 + (method === 'DELETE' ? 99 - path.length : 0)
}
