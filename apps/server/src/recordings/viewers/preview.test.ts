// The preview of a recording: its last screen, for those who may play it, and never without an entry in the audit log.
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import { SessionUid } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../../testing/boot.ts'
import { type RecordingWorld, mark, recordingWorld } from '../testing.ts'

const { sessions } = operations
const clock = new ManualClock(Date.now())
let server: BootedServer
let person: Person
let world: RecordingWorld
beforeAll(async () => {
  server = await bootServer({ clock })
  person = await server.setUpAccount()
  world = recordingWorld(server, person)
})
afterAll(() => server.close())

const at = (uid: SessionUid) => ({ params: { uid, seat: '0' } })
const preview = async (uid: SessionUid, who = person) => (await who.client.call(sessions.getPreview, at(uid))).body
const recorded = (...of: Parameters<RecordingWorld['recorded']>) => world.recorded(...of)
const indexed = () => world.indexed()

/** Who has looked at a recording, by the audit log. */
async function audited(uid: SessionUid) {
  const entries = server.database.system().selectFrom('audit_log').select(['action', 'actor_id', 'details'])
  const rows = await entries.where('target', '=', uid).orderBy('id').execute()
  return rows.map(({ action, actor_id: by, details }) => ({ action, by, details }))
}

it('has the last screen at its sizes, the last commands of the shell, and the number of files', async () => {
  const typed = Array.from({ length: 7 }, (_, number): ['o', string] => [
    'o',
    `$ ${mark('B')}step ${number}\r\n${mark('C')}done ${number}\r\n`,
  ])
  const uid = await recorded([...typed, ['r', '100x30'], ['r', '120x40'], ['o', 'wide']])
  const events = (['upload', 'download', 'remove'] as const).map((operation) => ({
    tenant_id: person.tenant,
    session_uid: uid,
    seat: 1,
    type: 'file',
    data: { operation, path: '/tmp/x', result: 'ok' },
  }))
  await server.database.system().insertInto('session_events').values(events).execute()
  await indexed()
  const { screen, ...facts } = await preview(uid)
  expect(facts).toEqual({
    state: 'complete',
    indexed: true,
    seconds: 10,
    commands: {
      total: 7,
      last: [2, 3, 4, 5, 6].map((number) => ({ time: number + 1, text: `step ${number}` })),
    },
    files: 2,
  })
  expect(screen?.map(({ columns, rows }) => [columns, rows])).toEqual([
    [80, 24],
    [120, 40],
  ])
  expect(screen?.[0]?.output).toContain('done 6')
  expect(screen?.[1]?.output).toBe('wide')
})

it('begins at the last keyframe of a long recording', async () => {
  const page = `${'x'.repeat(79)}\r\n`.repeat(900)
  const uid = await recorded([
    ['o', `the beginning\r\n${page}`],
    ['o', page],
    ['o', '\u001b[2J\u001b[Hthe end'],
  ])
  await indexed()
  const output = (await preview(uid)).screen?.map((part) => part.output).join('') ?? ''
  expect(output).toContain('the end')
  expect(output).not.toContain('the beginning')
  expect(output.length).toBeLessThan(page.length)
})

it('is for those who may play the recording, and writes one entry for each of them, session and hour', async () => {
  const uid = await recorded([['o', 'secret']])
  await indexed()
  const answers: Record<string, string> = {}
  for (const role of ['observer', 'operator', 'administrator'] as const) {
    const member = await server.addPerson(`an-${role}`)
    await server.addMember(person.tenant, member.id, role)
    const { tenant } = person
    const { body } = await member.client.call(operations.auth.switchNamespace, { params: { tenant } })
    answers[role] = await outcome(server.client(body.token).call(sessions.getPreview, at(uid)))
  }
  expect(answers).toEqual({ observer: '403 FORBIDDEN', operator: '403 FORBIDDEN', administrator: '200' })
  const outsider = await server.addPerson('outsider')
  expect(await outcome(outsider.client.call(sessions.getPreview, at(uid)))).toBe('404 NOT_FOUND')
  const [ofAdministrator] = await audited(uid)
  expect(ofAdministrator).toMatchObject({ action: 'recording.preview', details: { seat: 0 } })
  await preview(uid)
  await preview(uid)
  await clock.advanceAsync(3_600_000)
  await preview(uid)
  const mine = { action: 'recording.preview', by: person.id, details: { seat: 0 } }
  expect(await audited(uid)).toEqual([ofAdministrator, mine, mine])
  // It is no playing: that has an entry of its own.
  await person.client.open(sessions.getRecord, at(uid))
  expect((await audited(uid)).map(({ action }) => action).at(-1)).toBe('recording.play')
})

it('notes who reads the commands of the index, unless the recording itself was played within the hour', async () => {
  const index = async (uid: SessionUid) => (await person.client.call(sessions.getRecordIndex, at(uid))).body.commands
  const shell = await recorded([['o', `$ ${mark('B')}uname\r\n${mark('C')}Linux\r\n`]])
  const silent = await recorded([['o', 'no prompt']])
  const played = await recorded([['o', `$ ${mark('B')}id\r\n${mark('C')}0\r\n`]])
  await indexed()
  await person.client.open(sessions.getRecord, at(played))
  expect([await index(shell), await index(silent), await index(played)].map(({ length }) => length)).toEqual([1, 0, 1])
  await index(shell)
  const actions = async (uid: SessionUid) => (await audited(uid)).map(({ action }) => action)
  expect(await Promise.all([shell, silent, played].map(actions))).toEqual([
    ['recording.commands'],
    [],
    ['recording.play'],
  ])
  await clock.advanceAsync(3_600_000)
  await index(played)
  expect(await actions(played)).toEqual(['recording.play', 'recording.commands'])
})

it('shows nothing of a session that runs, or that is not read through yet, and writes no entry then', async () => {
  const nothing = { indexed: false, seconds: 0, commands: { total: 0, last: [] }, files: 0, screen: null }
  const running = await recorded([['o', 'x']], { state: 'recording' })
  expect(await preview(running)).toEqual({ state: 'recording', ...nothing })
  const fresh = await recorded([['o', 'x']])
  expect(await preview(fresh)).toEqual({ state: 'complete', ...nothing })
  expect([...(await audited(running)), ...(await audited(fresh))]).toEqual([])
})

it('answers 404 for a session without a recording', async () => {
  const uid = await recorded([['o', 'x']])
  await server.database.system().deleteFrom('recordings').where('session_uid', '=', uid).execute()
  expect(await outcome(person.client.call(sessions.getPreview, at(uid)))).toBe('404 NOT_FOUND')
})
