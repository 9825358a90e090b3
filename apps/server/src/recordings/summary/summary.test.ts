// Summaries of recordings over HTTP, and what audit streams are told of a recording that is complete.
import { createHash, randomBytes } from 'node:crypto'
import { operations } from '@bowline/contract/operations'
import type { SessionUid } from '@bowline/contract/schemas/common'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer, outcome } from '../../testing/boot.ts'
import { testContext } from '../../testing/context.ts'
import { type RecordingWorld, mark, recordingWorld } from '../testing.ts'
import { createCompletion } from './completion.ts'

const { sessions, recordings } = operations
let server: BootedServer
let person: Person
let world: RecordingWorld
beforeAll(async () => {
  server = await bootServer()
})
afterAll(() => server.close())
beforeEach(async () => {
  person = await (person === undefined ? server.setUpAccount() : server.addPerson(someName()))
  world = recordingWorld(server, person)
})

const someName = () => `p${randomBytes(4).toString('hex')}`
const typed = (command: string, end = ''): ['o', string] => [
  'o',
  `$ ${mark('B')}${command}\r\n${mark('C')}out\r\n${end}`,
]
const of = async (uid: SessionUid) => (await person.client.call(sessions.records, { params: { uid } })).body
const sha256 = async (uid: SessionUid) =>
  createHash('sha256')
    .update(await world.castOf(uid))
    .digest('hex')

describe('the summary of a recording', () => {
  it('counts commands, those that failed, programs and idle time, and has the hash of the file', async () => {
    const uid = await world.recorded([
      typed('ls', mark('D;0')),
      typed('sudo grep -r x /etc | less', mark('D;1')),
      typed('ls -l', mark('D;0')),
      ['o', `${mark('D;1')}$ `],
      ['o', ''],
    ])
    expect(await of(uid)).toMatchObject([{ session: uid, seat: 0, read: false, summary: null }])
    await world.indexed()
    expect(await of(uid)).toMatchObject([
      {
        session: uid,
        seat: 0,
        username: 'root',
        state: 'complete',
        bytes: (await world.castOf(uid)).length,
        read: true,
        closed: null,
        summary: {
          seconds: 5,
          idle_seconds: 0,
          commands: 3,
          failed_commands: 1,
          programs: [
            { name: 'ls', count: 2 },
            { name: 'grep', count: 1 },
            { name: 'less', count: 1 },
          ],
          sha256: await sha256(uid),
        },
      },
    ])
  })

  it('knows the command that was run without a shell, and no failures where the shell tells no status', async () => {
    const uid = await world.recorded([['o', 'up 3 days']], { command: 'uptime' })
    await world.indexed()
    const [{ summary } = { summary: null }] = await of(uid)
    expect(summary).toMatchObject({ commands: 1, failed_commands: null, programs: [{ name: 'uptime', count: 1 }] })
  })
})

describe('the list of recordings', () => {
  it('has those whose sessions match, the latest first, with their total', async () => {
    const first = await world.recorded([['o', 'x']], { session: { username: 'ada' } })
    await world.recorded([['o', 'x']])
    const { body, total } = await person.client.call(recordings.list, {})
    expect([body.length, total]).toEqual([2, 2])
    const condition = { type: 'property', params: { name: 'username', operator: 'eq', value: 'ada' } }
    const filter = Buffer.from(JSON.stringify([condition])).toString('base64')
    const narrowed = await person.client.call(recordings.list, { query: { filter } })
    expect([narrowed.body.map(({ session }) => session), narrowed.total]).toEqual([[first], 1])
  })

  it('is for those who may play recordings, of this namespace alone', async () => {
    const uid = await world.recorded([['o', 'x']])
    const member = await server.addPerson(someName())
    await server.addMember(person.tenant, member.id, 'operator')
    const { body } = await member.client.call(operations.auth.switchNamespace, { params: { tenant: person.tenant } })
    const operator = server.client(body.token)
    expect(await outcome(operator.call(recordings.list, {}))).toContain('403')
    expect(await outcome(operator.call(sessions.records, { params: { uid } }))).toContain('403')
    const other = await server.addPerson(someName())
    expect((await other.client.call(recordings.list, {})).total).toBe(0)
    expect(await outcome(other.client.call(sessions.records, { params: { uid } }))).toBe('404 NOT_FOUND')
  })
})

describe('a recording that is complete', () => {
  const completed = () =>
    createCompletion({
      contextOf: (tenant) => testContext(server.database, tenant),
      publicUrl: 'https://bowline.example.com/',
    })
  const entries = async () => {
    const { body } = await person.client.call(operations.audit.list, { query: { per_page: '100' } })
    return body.filter(({ action }) => action === 'recording.complete')
  }
  const addStream = (wanted: boolean) =>
    server.database
      .system()
      .insertInto('audit_streams')
      .values({
        tenant_id: person.tenant,
        name: 'SIEM',
        active: false,
        format: 'ndjson',
        recordings: wanted,
        host: 'siem.example.com',
        sealed_url: Buffer.from(''),
        sealed_secret: Buffer.from(''),
        sealed_authorization: null,
        failing_since: null,
        disabled_reason: null,
        position: 0,
      })
      .execute()

  it('is an entry of the audit log where a stream asks for it, with hash, size, summary and links', async () => {
    await addStream(true)
    const uid = await world.recorded([typed('ls', mark('D;2'))], {
      session: { ip_address: '192.0.2.7', person_id: person.id, person: 'ada@example.com' },
    })
    await world.indexed(completed())
    expect(await entries()).toMatchObject([
      {
        target: uid,
        details: {
          seat: 0,
          state: 'complete',
          device: { uid: expect.stringMatching(/^[0-9a-f]{64}$/), name: expect.any(String) },
          username: 'root',
          ip_address: '192.0.2.7',
          person: { id: person.id, name: 'ada@example.com' },
          bytes: (await world.castOf(uid)).length,
          sha256: await sha256(uid),
          seconds: 1,
          idle_seconds: 0,
          commands: 1,
          failed_commands: 1,
          player: `https://bowline.example.com/sessions/${uid}/play/0`,
          asciicast: `https://bowline.example.com/api/sessions/${uid}/records/0?format=cast3`,
        },
      },
    ])
    expect(JSON.stringify(await entries())).not.toContain('programs')
  })

  it('is no entry where none asks for it', async () => {
    await addStream(false)
    const uid = await world.recorded([['o', 'x']])
    await world.indexed(completed())
    expect((await of(uid))[0]?.read).toBe(true)
    expect(await entries()).toEqual([])
  })
})
