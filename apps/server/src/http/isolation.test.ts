// No namespace sees or touches another: every operation of the contract, with ids of a namespace that the caller is not
// in (any more). A new operation is part of this by being declared.
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
/** Tokens for the other namespace of people who have lost their place in it. */
let removed: string
let pending: string
/** Nothing in this file may change it. */
let rowsBefore: unknown
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.1' } })
  theirs = await populate(server, await server.setUpAccount())
  mine = await populate(server, await server.addPerson('stranger'))
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

/** Calls an operation with fitting input. A stream is left as soon as its head has come. */
async function call(
  operation: Operation,
  params: Record<string, string>,
  headers: Record<string, string>,
): Promise<Answer> {
  // Another seed for each operation: what one adds must not be in the way of the next.
  const seed = Buffer.from(operation.method + operation.path).reduce((sum, byte) => sum + byte, 0)
  // An address is changed with the current password only, which no example has.
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
const aimed = guarded.filter(({ operation }) => operation.path.includes('{'))

/** What a caller learns of something that is not there, not theirs, or not built. */
function hides({ operation }: { operation: Operation }): number[] {
  return operation.notYet ? [401, 403, 404, 501] : [401, 403, 404]
}

describe('another namespace', () => {
  it.each(aimed)('cannot be reached by its ids: $id', async ({ operation }) => {
    const params = paramsOf(operation, theirs)
    const credentials = [bearer(mine.owner.auth.token), { 'x-api-key': mine.apiKey }]
    // The same with the caller's own namespace in the path, where there is one in it.
    const targets = [params, ...('tenant' in params ? [{ ...params, tenant: mine.owner.tenant }] : [])]
    for (const headers of credentials) {
      for (const target of targets) {
        // Nothing of theirs is named when the only id is the caller's own namespace.
        if (Object.values(target).every((value) => value === mine.owner.tenant || value === 'pending')) continue
        const { status, text } = await call(operation, target, headers)
        expect([hides({ operation }).includes(status), status, text]).toEqual([true, status, expect.anything()])
        expect(text).not.toContain(theirs.marker)
      }
    }
    await expectTheirRowsUntouched(operation)
  })

  it.each(reading)('does not show in any answer: $id', async ({ operation }) => {
    const { text } = await call(operation, paramsOf(operation, mine), bearer(mine.owner.auth.token))
    for (const trace of [theirs.marker, theirs.owner.tenant, theirs.device.uid, theirs.owner.id]) {
      expect(text).not.toContain(trace)
    }
  })

  it.each(guarded)('is closed to removed, pending and unknown people: $id', async ({ operation }) => {
    const credentials = [bearer(removed), bearer(pending), bearer(theirs.device.token), {}]
    const params = paramsOf(operation, theirs)
    const answers = await Promise.all(credentials.map((headers) => call(operation, params, headers)))
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401])
    await expectTheirRowsUntouched(operation)
  })
})

describe('the ids that were aimed with', () => {
  it('are real: each opens something to its owner', async () => {
    const missing = new Set<string>()
    const opened = new Set<string>()
    // What removes something comes last, the namespace itself at the very end.
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
