// `bowline session …` of a person who is signed in at a server.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SessionUid } from '@bowline/contract/schemas/common'
import { Session } from '@bowline/contract/schemas/session'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, type RegisteredDevice, bootServer } from '../../testing/boot.ts'
import { commandLine } from '../testing.ts'

let server: BootedServer
let ada: Person
let kiosk: RegisteredDevice
let home: string
const uid = (digit: string) => SessionUid.parse(digit.repeat(64))

beforeAll(async () => {
  server = await bootServer()
  ada = await server.setUpAccount()
  home = await mkdtemp(join(tmpdir(), 'bowline-sessions-'))
  await signInAs(ada)
  kiosk = await server.acceptedDevice(ada, { hostname: 'kiosk' })
  const shed = await server.acceptedDevice(ada, { hostname: 'shed' })
  await add('1', kiosk, { active: true, authenticated: true, person: 'ada@example.com', person_id: ada.id })
  await add('2', kiosk, { started_at: new Date('2026-11-02'), ...ended })
  await add('3', shed, { started_at: new Date('2026-11-03'), username: 'two\nlines', ...ended })
  await add('4', shed, { started_at: new Date('2026-11-04'), authenticated: true, ...ended })
})
afterAll(async () => {
  await server.close()
  await rm(home, { recursive: true })
})

const { json, bowline, refusal } = commandLine(() => ({ HOME: home }))
const ended = {
  closed_at: new Date(),
  cause_by: 'user',
  cause_reason: 'closed',
  cause_message: 'The user left.',
} as const

async function signInAs(person: Person): Promise<void> {
  await mkdir(join(home, '.config/bowline'), { recursive: true })
  const saved = { server: server.origin, token: person.auth.token, refresh_token: 'none' }
  await writeFile(join(home, '.config/bowline/sign-in.json'), JSON.stringify(saved))
}

async function add(digit: string, device: RegisteredDevice, values: object): Promise<void> {
  const row = {
    uid: uid(digit),
    tenant_id: ada.tenant,
    device_uid: device.uid,
    username: 'root',
    type: 'term' as const,
  }
  const seen = { ip_address: `192.0.2.${digit}`, last_seen: new Date(`2026-11-0${digit}`) }
  await server.database
    .system()
    .insertInto('sessions')
    .values({ ...row, ...seen, ...values })
    .execute()
}

/** First digits of the sessions that a command prints as JSON. */
async function digits(line: string): Promise<string> {
  return ((await json(line)) as Session[]).map((session) => Session.parse(session).uid[0]).join('')
}

describe('bowline session list', () => {
  it('lists sessions, the last seen first, each on one line', async () => {
    const lines = (await bowline('session list')).split('\n')
    expect(lines[0]).toMatch(/^STARTED +LOGIN +PERSON +ADDRESS +STATE +SESSION$/)
    expect(lines).toHaveLength(5)
    expect(lines[1]).toMatch(new RegExp(`root@shed +192.0.2.4 +ended \\(user: closed\\) +${uid('4')}$`))
    expect(lines[2]).toContain('two lines@shed')
    expect(await bowline('sessions list --limit 1')).toMatch(/\n1 of 4 sessions\.$/)
  })

  it.each([
    ['--active', '1'],
    ['--failed', '32'],
    ['--device kiosk', '21'],
    ['--device SHED --failed', '3'],
    ['--person ada@example.com', '1'],
    ['--user root --ascending', '124'],
    ['--address 192.0.2.3', '3'],
    ['--from 2026-11-03 --to 2026-11-04', '3'],
    ['--sort ip_address --ascending', '1234'],
    ['--key SHA256:unknown', ''],
  ])('narrows and sorts: %s', async (options, expected) => {
    expect(await digits(`session list ${options}`)).toBe(expected)
  })

  it.each([
    ['--device nowhere', 1, 'There is no device named nowhere.'],
    ['--limit 0', 2, '--limit must be a number from 1 to 100.'],
    ['--sort colour', 2, '--sort must be one of last_seen, started_at, username, person, ip_address, active.'],
    ['--from yesterday', 2, '--from must be a time such as 2030-01-01 or 2030-01-01T12:00:00Z.'],
  ])('refuses %s', async (options, status, complaint) => {
    expect(await refusal(`session list ${options}`)).toEqual([status, `bowline: ${complaint}`])
  })
})

describe('bowline session groups', () => {
  it('counts the sessions of each device, narrowed by the same options as the list', async () => {
    const lines = (await bowline('session groups --sort sessions')).split('\n')
    expect(lines[0]).toMatch(/^DEVICE +SESSIONS +ACTIVE +LAST STARTED$/)
    expect(lines).toHaveLength(3)
    expect(lines).toContainEqual(expect.stringMatching(/^kiosk +2 +1 /))
    expect(lines).toContainEqual(expect.stringMatching(/^shed +2 +0 /))
    expect(await json('session groups --active')).toMatchObject([{ device: { name: 'kiosk' }, sessions: 1 }])
    expect(await bowline('session groups --limit 1')).toMatch(/\n1 of 2 groups\.$/)
  })

  it('counts those of each person', async () => {
    const lines = (await bowline('session groups --by person --sort sessions')).split('\n').slice(1)
    expect(lines.map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
      ['nobody known', '3', '0'],
      ['ada@example.com', '1', '1'],
    ])
  })

  it.each([
    ['--by colour', '--by must be device or person.'],
    ['--sort colour', '--sort must be one of last_started_at, sessions, active.'],
    ['--limit 101', '--limit must be a number from 1 to 100.'],
  ])('refuses %s', async (options, complaint) => {
    expect(await refusal(`session groups ${options}`)).toEqual([2, `bowline: ${complaint}`])
  })
})

describe('bowline session show and close', () => {
  it('shows a session with its events', async () => {
    const at = new Date('2026-11-02T10:00:00Z')
    const event = {
      tenant_id: ada.tenant,
      session_uid: uid('2'),
      seat: 0,
      at,
      type: 'exec',
      data: { command: 'uptime' },
    }
    await server.database.system().insertInto('session_events').values(event).execute()
    const out = await bowline(`session show ${uid('2')}`)
    expect(out).toMatch(/^login +root@kiosk$/m)
    expect(out).toMatch(/^2026-11-02T10:00:00.000Z +seat 0 +exec +\{"command":"uptime"\}$/m)
    expect(await json(`session show ${uid('2')}`)).toMatchObject({
      uid: uid('2'),
      events: { items: [{ type: 'exec' }] },
    })
    expect(await refusal('session show 12')).toEqual([2, 'bowline: The session must be its uid: 64 hex digits.'])
    expect(await refusal(`session show ${uid('f')}`)).toEqual([1, 'bowline: The session was not found.'])
  })

  it('ends a session as the person who is signed in', async () => {
    expect(await bowline(`session close ${uid('1')}`)).toBe('Ended the session root@kiosk.')
    expect(await json(`session show ${uid('1')}`)).toMatchObject({ active: false, closed: { by: 'admin' } })
    const log = await server.database.system().selectFrom('audit_log').selectAll().execute()
    expect(log.find(({ action }) => action === 'session.close')).toMatchObject({ actor_type: 'user', actor_id: ada.id })
  })
})

describe('bowline session export', () => {
  it('prints what the options choose, as CSV or as JSON lines', async () => {
    const csv = (await bowline('session export --device shed')).split('\n')
    expect(csv[0]).toMatch(/^"started_at","ended_at","device"/)
    expect(csv.slice(1).join('\n')).toMatch(
      new RegExp(`^"2026-11-04[^]*"${uid('4')}"[^]*"two\nlines"[^]*"${uid('3')}"`),
    )
    for (const format of ['--json', '--format jsonl']) {
      const lines = (await bowline(`session export --failed ${format}`)).split('\n')
      expect(lines.map((line) => Session.parse(JSON.parse(line)).uid)).toEqual([uid('3'), uid('2')])
    }
    expect(await refusal('session export --format xml')).toEqual([2, 'bowline: --format must be csv or jsonl.'])
  })

  it('shows only what the person may see', async () => {
    const stranger = await server.addPerson('stranger')
    await signInAs(stranger)
    expect(await bowline('session export --json')).toBe('')
    expect(await refusal(`session close ${uid('4')}`)).toEqual([1, 'bowline: The session was not found.'])
    await signInAs(ada)
  })
})
