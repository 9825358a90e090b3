// Announcements as administrators of the instance write them: scheduled, changed, ended, removed, and seen once by everybody.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type BootedServer, type Client, type Person, bootServer, outcome } from '../testing/boot.ts'

const { announcements, auth } = operations
const HOUR = 3_600_000
let clock: ManualClock
let server: BootedServer
let admin: Person
let reader: Person
beforeAll(async () => {
  clock = new ManualClock()
  server = await bootServer({ clock })
  admin = await server.setUpAccount()
  reader = await server.addPerson('reader')
})
afterAll(() => server.close())
beforeEach(async () => {
  await server.database.system().deleteFrom('announcements').execute()
  // Writing asks for a recent sign-in.
  const { username, password } = admin
  const { body } = await server.client().call(auth.login, { body: { username, password } })
  admin = { ...admin, client: server.client(body.token) }
})

const at = (hours: number): string => new Date(clock.now() + hours * HOUR).toISOString()
const titles = async () => (await server.client().call(announcements.list, {})).body.map(({ title }) => title)
const unreadOf = async (client: Client) => (await client.call(announcements.unread, {})).body.map(({ title }) => title)
const create = async (body: { title: string; content?: string; date?: string; ends_at?: string | null }) =>
  (await admin.client.call(announcements.create, { body: { content: 'text', ...body } })).body

it('shows an announcement from its date to its end, to nobody before and after', async () => {
  const made = await create({ title: 'Maintenance', date: at(1), ends_at: at(3) })
  const params = { uuid: made.uuid }
  const stateNow = async () => (await admin.client.call(announcements.listAll, {})).body.map(({ state }) => state)
  const seen = async () => [await titles(), await unreadOf(reader.client), await stateNow()]
  expect(await seen()).toEqual([[], [], ['scheduled']])
  expect(await outcome(server.client().call(announcements.get, { params }))).toBe('404 NOT_FOUND')
  expect(await outcome(reader.client.call(announcements.markRead, { params }))).toBe('404 NOT_FOUND')
  clock.advance(HOUR)
  expect(await seen()).toEqual([['Maintenance'], ['Maintenance'], ['shown']])
  expect((await server.client().call(announcements.get, { params })).body.content).toBe('text')
  clock.advance(2 * HOUR)
  expect(await seen()).toEqual([[], [], ['ended']])
  expect(await outcome(server.client().call(announcements.get, { params }))).toBe('404 NOT_FOUND')
})

it('shows the newest announcement once to each person, wherever they sign in', async () => {
  await create({ title: 'Older', date: at(-2) })
  const { uuid } = await create({ title: 'Newer', date: at(-1) })
  expect(await unreadOf(reader.client)).toEqual(['Newer'])
  const mark = () => outcome(reader.client.call(announcements.markRead, { params: { uuid } }))
  expect(await Promise.all([mark(), mark()])).toEqual(['200', '200'])
  expect(await unreadOf(reader.client)).toEqual([])
  const { username, password } = reader
  const elsewhere = await server.client().call(auth.login, { body: { username, password } })
  expect(await unreadOf(server.client(elsewhere.body.token))).toEqual([])
  expect(await unreadOf(admin.client)).toEqual(['Newer'])
  await admin.client.call(announcements.update, { params: { uuid }, body: { title: 'Newer, corrected' } })
  expect(await unreadOf(reader.client)).toEqual([])
  await create({ title: 'Newest' })
  expect(await unreadOf(reader.client)).toEqual(['Newest'])
})

it('changes what is named, and removes for good', async () => {
  const made = await create({ title: 'Plan', ends_at: at(5) })
  const params = { uuid: made.uuid }
  const update = async (body: { title?: string; content?: string; ends_at?: string | null }) =>
    (await admin.client.call(announcements.update, { params, body })).body
  expect(await update({ content: '**new**' })).toEqual({ ...made, content: '**new**' })
  expect(await update({ ends_at: null })).toMatchObject({ title: 'Plan', ends_at: null })
  await reader.client.call(announcements.markRead, { params })
  await admin.client.call(announcements.remove, { params })
  expect(await titles()).toEqual([])
  expect(await outcome(admin.client.call(announcements.remove, { params }))).toBe('404 NOT_FOUND')
  expect(await outcome(admin.client.call(announcements.update, { params, body: {} }))).toBe('404 NOT_FOUND')
})

it('refuses titles and contents that are too long, and an end before the beginning', async () => {
  const tried = (body: { title: string; content?: string; date?: string; ends_at?: string }) =>
    outcome(admin.client.call(announcements.create, { body: { content: 'text', ...body } }))
  expect(await tried({ title: 'x'.repeat(91) })).toBe('400 INVALID_INPUT title')
  expect(await tried({ title: '' })).toBe('400 INVALID_INPUT title')
  expect(await tried({ title: 'x', content: 'y'.repeat(20_001) })).toBe('400 INVALID_INPUT content')
  expect(await tried({ title: 'x', date: 'tomorrow' })).toBe('400 INVALID_INPUT date')
  expect(await tried({ title: 'x', date: at(2), ends_at: at(1) })).toBe('400 INVALID_INPUT ends_at')
  const { uuid } = await create({ title: 'x', ends_at: at(2) })
  const later = admin.client.call(announcements.update, { params: { uuid }, body: { date: at(3) } })
  expect(await outcome(later)).toBe('400 INVALID_INPUT ends_at')
})

it('lets nobody write but administrators of the instance', async () => {
  const { uuid } = await create({ title: 'Plan' })
  const body = { title: 'Mine', content: '' }
  const answers = await Promise.all([
    outcome(reader.client.call(announcements.create, { body })),
    outcome(reader.client.call(announcements.update, { params: { uuid }, body })),
    outcome(reader.client.call(announcements.remove, { params: { uuid } })),
    outcome(reader.client.call(announcements.listAll, {})),
    outcome(server.client().call(announcements.unread, {})),
  ])
  expect(answers.map((answer) => answer.slice(0, 3))).toEqual(['403', '403', '403', '403', '401'])
  expect(await titles()).toEqual(['Plan'])
})
