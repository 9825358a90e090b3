// Snippets of a namespace over HTTP: who reads and changes them, and what a text may have in it.
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import type { Role } from '@bowline/contract/roles'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../testing/boot.ts'

const { apiKeys, audit, auth, snippets } = operations
let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
})
afterAll(() => server.close())

let people = 0
/** The owner of a namespace of their own. */
const someone = (): Promise<Person> => server.addPerson(`person-${(people += 1)}`)

/** A member of the owner's namespace, signed in to it. */
async function memberOf(owner: Person, role: Role): Promise<Person['client']> {
  const person = await someone()
  await server.addMember(owner.tenant, person.id, role)
  const { body } = await person.client.call(auth.switchNamespace, { params: { tenant: owner.tenant } })
  return server.client(body.token)
}

const snippet = { name: 'Restart the kiosk', text: 'cd /srv\nsystemctl restart kiosk', tags: ['kiosk'] }
const add = (client: Person['client'], values: Partial<typeof snippet> = {}) =>
  client.call(snippets.create, { body: { ...snippet, ...values } })
const listed = async (client: Person['client']) => (await client.call(snippets.list, {})).body

describe('the snippets of a namespace', () => {
  it.each(['observer', 'operator', 'administrator'] as const)('are read by an %s, by name', async (role) => {
    const owner = await someone()
    for (const name of ['b', 'C', 'a']) await add(owner.client, { name })
    const client = await memberOf(owner, role)
    expect((await listed(client)).map(({ name, text }) => [name, text])).toEqual([
      ['a', snippet.text],
      ['b', snippet.text],
      ['C', snippet.text],
    ])
  })

  it.each([
    ['observer', '403'],
    ['operator', '403'],
    ['administrator', '200'],
  ] as const)('are changed by an %s: %s', async (role, answer) => {
    const owner = await someone()
    const [kept, gone] = [(await add(owner.client)).body, (await add(owner.client, { name: 'gone' })).body]
    const client = await memberOf(owner, role)
    const answers = [
      await outcome(add(client, { name: 'another' })),
      await outcome(client.call(snippets.update, { params: { id: kept.id }, body: { text: 'uptime' } })),
      await outcome(client.call(snippets.remove, { params: { id: gone.id } })),
    ]
    expect(answers.map((one) => one.slice(0, 3))).toEqual([answer, answer, answer])
    const left = (await listed(owner.client)).map(({ name, text }) => `${name}: ${text}`)
    const before = [`gone: ${snippet.text}`, `${snippet.name}: ${snippet.text}`]
    const after = [`another: ${snippet.text}`, `${snippet.name}: uptime`]
    expect(left.toSorted()).toEqual((answer === '403' ? before : after).toSorted())
  })

  it('are neither seen nor changed from another namespace', async () => {
    const [owner, stranger] = [await someone(), await someone()]
    const { id } = (await add(owner.client)).body
    expect(await listed(stranger.client)).toEqual([])
    const answers = [
      await outcome(stranger.client.call(snippets.update, { params: { id }, body: { text: 'id' } })),
      await outcome(stranger.client.call(snippets.remove, { params: { id } })),
    ]
    expect(answers).toEqual(['404 NOT_FOUND', '404 NOT_FOUND'])
    // Names are taken in a namespace, not on the server.
    await add(stranger.client)
    expect((await listed(owner.client)).map((one) => one.id)).toEqual([id])
  })

  it('are for people: API keys neither read nor share them', async () => {
    const owner = await someone()
    const { body: key } = await owner.client.call(apiKeys.create, { body: { name: 'deploy', expires_at: 30 } })
    const headers = { 'x-api-key': key.id, 'content-type': 'application/json' }
    const read = await server.fetch('/api/snippets', { headers })
    const written = await server.fetch('/api/snippets', { method: 'POST', headers, body: JSON.stringify(snippet) })
    expect([read.status, written.status]).toEqual([403, 403])
  })

  it('tell who shared them, and who changed them last', async () => {
    const owner = await someone()
    const { id } = (await add(owner.client)).body
    const administrator = await memberOf(owner, 'administrator')
    await administrator.call(snippets.update, { params: { id }, body: { tags: [] } })
    const [one] = await listed(owner.client)
    expect(one).toMatchObject({ ...snippet, tags: [], created_by: { id: owner.id } })
    expect(one?.changed_by).not.toEqual(one?.created_by)
  })

  it('stand in the audit log with each text', async () => {
    const owner = await someone()
    const { id } = (await add(owner.client)).body
    await owner.client.call(snippets.update, { params: { id }, body: { text: 'uptime', tags: [] } })
    await owner.client.call(snippets.remove, { params: { id } })
    const { body } = await owner.client.call(audit.list, { query: {} })
    const changed = { ...snippet, text: 'uptime', tags: [] }
    expect(body.map(({ action, target, details }) => [action, target, details]).slice(0, 3)).toEqual([
      ['snippet.remove', id, changed],
      ['snippet.update', id, { before: snippet, after: changed }],
      ['snippet.create', id, snippet],
    ])
  })
})

describe('a snippet', () => {
  it('has a name of its own, also when it is changed', async () => {
    const { client } = await someone()
    await add(client)
    const { id } = (await add(client, { name: 'other' })).body
    const rename = (name: string) => outcome(client.call(snippets.update, { params: { id }, body: { name } }))
    expect([await outcome(add(client)), await rename(snippet.name), await rename('other')]).toEqual([
      '409 CONFLICT name',
      '409 CONFLICT name',
      '200',
    ])
  })

  it('keeps its text whatever is in it, and as long as it may be', async () => {
    const { client } = await someone()
    const text = `printf '%s' "ümläut 😀 \\u0041" | sed 's/$/x/'\n  indented`
    expect((await add(client, { text })).body.text).toBe(text)
    // Each needs six bytes in JSON.
    const long = { name: '\u00e9'.repeat(LIMITS.snippets.name), text: '\u20ac'.repeat(LIMITS.snippets.text) }
    expect((await add(client, long)).body).toMatchObject(long)
  })

  it.each([
    ['no name', { name: ' ' }, 'name'],
    ['a name with an end of line', { name: 'a\nb' }, 'name'],
    ['a name that is too long', { name: 'x'.repeat(LIMITS.snippets.name + 1) }, 'name'],
    ['no text', { text: '' }, 'text'],
    ['a text that is too long', { text: 'x'.repeat(LIMITS.snippets.text + 1) }, 'text'],
    ['Enter at its end', { text: 'reboot\n' }, 'text'],
    ['a carriage return, which is Enter', { text: 'reboot\r' }, 'text'],
    ['an escape sequence', { text: '\u001B[201~reboot' }, 'text'],
    ['a C1 control', { text: 'a\u009Bb' }, 'text'],
    ['a tab, which completes', { text: 'cd\t' }, 'text'],
    ['text that shows in another order', { text: 'a\u202Eb' }, 'text'],
    ['characters without a width', { text: 'rm\u200B -rf' }, 'text'],
    ['too many tags', { tags: ['one', 'two', 'three', 'four'] }, 'tags'],
  ])('is refused with %s', async (_, values, field) => {
    const { client } = await someone()
    expect(await outcome(add(client, values))).toBe(`400 INVALID_INPUT ${field}`)
    const { id } = (await add(client)).body
    expect(await outcome(client.call(snippets.update, { params: { id }, body: values }))).toBe(
      `400 INVALID_INPUT ${field}`,
    )
  })

  it('is refused by the database, too, when it would press Enter or control a terminal', async () => {
    const { tenant } = await someone()
    const write = (text: string) => {
      const by = { created_by: null, created_by_name: 'x', changed_by: null, changed_by_name: 'x' }
      const values = { tenant_id: tenant, name: 'x', text, ...by }
      return server.database.system().insertInto('shared_snippets').values(values).execute()
    }
    for (const text of ['a\n', 'a\r', '\u001B[2J', '\u009B']) await expect(write(text)).rejects.toThrow(/snippet_/)
    await write('a\nb')
  })
})

it('a namespace has a bounded number of snippets, also where many are shared at once', async () => {
  const { client } = await someone()
  const limit = LIMITS.snippets.perNamespace
  const made = await Promise.all(Array.from({ length: limit + 10 }, (_, i) => outcome(add(client, { name: `s${i}` }))))
  expect(made.filter((one) => one === '200')).toHaveLength(limit)
  expect(new Set(made)).toEqual(new Set(['200', '403 NAMESPACE_FULL']))
  expect(await listed(client)).toHaveLength(limit)
})
