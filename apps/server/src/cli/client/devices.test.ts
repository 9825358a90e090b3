// `bowline devices` and `bowline views` of a person who is signed in at a server.
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HealthHistory } from '@bowline/contract/operations/fleet/health'
import { Device } from '@bowline/contract/schemas/device'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { commandLine } from '../testing.ts'

let server: BootedServer
let ada: Person
let home: string
beforeAll(async () => {
  server = await bootServer()
  ada = await server.setUpAccount()
  home = await mkdtemp(join(tmpdir(), 'bowline-devices-'))
  await mkdir(join(home, '.config/bowline'), { recursive: true })
  const saved = { server: server.origin, token: ada.auth.token, refresh_token: 'none' }
  await writeFile(join(home, '.config/bowline/sign-in.json'), JSON.stringify(saved))
  const system = server.database.system()
  await sql`insert into devices (uid, tenant_id, name, info, public_key, status, tags, last_seen, disconnected_at)
    select encode(sha256(convert_to('cli' || i, 'UTF8')), 'hex'), ${ada.tenant}::uuid, 'unit-' || i,
      jsonb_build_object('id', 'x', 'pretty_name', 'Debian 12', 'version', '1.' || i, 'arch', 'x64', 'platform', 'native'),
      'key', 'accepted', case when i = 1 then '{kiosk}'::text[] else '{lab}' end, now() - make_interval(days => i), now()
    from generate_series(1, 4) i`.execute(system)
  await sql`insert into presence_spans (tenant_id, device_uid, started_at, ended_at, noted_at, cause, network)
    select tenant_id, uid, now() - interval '2 hours', now() - interval '1 hour', now() - interval '1 hour', 'network:keepalive',
      case when name < 'unit-3' then '203.0.113.0/24'::cidr else '198.51.100.0/24' end from devices`.execute(system)
})
afterAll(async () => {
  await server.close()
  await rm(home, { recursive: true })
})
const { json, bowline, refusal } = commandLine(() => ({ HOME: home }))
const names = async (line: string) =>
  ((await json(line)) as object[]).map((device) => Device.parse(device).name).toSorted()

describe('bowline devices', () => {
  it('lists devices as a table, and the next page of it', async () => {
    const lines = (await bowline('devices --limit 3 --sort name --ascending')).split('\n')
    expect(lines[1]).toMatch(/^unit-1 +offline +Debian 12 +kiosk +\S* *\d{4}-\S+ +[0-9a-f]{64}$/)
    expect(lines.at(-1)).toBe('3 of 4 devices.')
    expect(await names('device list --limit 3 --page 2 --sort name --ascending')).toEqual(['unit-4'])
  })

  it.each([
    ['--tag kiosk', ['unit-1']],
    ['--tag kiosk --tag lab --search unit-2', ['unit-2']],
    ['--search -tag:lab', ['unit-1']],
    ['--agent-version 1.3 --agent-version 1.4', ['unit-3', 'unit-4']],
    ['--online', []],
    ['--offline --arch x64', ['unit-1', 'unit-2', 'unit-3', 'unit-4']],
    ['--status pending', []],
  ])('chooses devices by %s', async (options, expected) => {
    expect(await names(`devices ${options}`)).toEqual(expected)
  })

  it('chooses those that went offline in one incident, and by any filter of the API', async () => {
    const { rows } = await sql<{ id: string }>`select min(id)::text as id from presence_spans
      where network = '198.51.100.0/24'`.execute(server.database.system())
    expect(await names(`devices --incident ${rows[0]?.id}`)).toEqual(['unit-3', 'unit-4'])
    const filter = [{ type: 'property', params: { name: 'name', operator: 'ne', value: 'unit-1' } }]
    expect(await names(`devices --filter ${JSON.stringify(filter)}`)).toEqual(['unit-2', 'unit-3', 'unit-4'])
  })

  it('chooses those in trouble', async () => {
    await sql`insert into device_health (device_uid, tenant_id, state, reported_at, disk)
      select uid, tenant_id, 'reported', now(), 95 from devices where name = 'unit-2'`.execute(server.database.system())
    expect(await names('devices --trouble disk')).toEqual(['unit-2'])
    expect(await names('devices --trouble memory')).toEqual([])
  })

  it.each([
    ['devices --online --offline', 2, /--online and --offline exclude each other/],
    ['devices --filter {', 2, /--filter must be JSON/],
    ['devices --view a --tag kiosk', 2, /exclude each other/],
    ['devices --view missing', 1, /no saved view of devices named missing/],
    ['devices --incident first', 1, /incident: the value must be an id/],
    ['devices --trouble boredom', 1, /trouble: the value must be any, disk, memory, load, latency, rebooted/],
  ])('refuses %s', async (line, status, reason) => {
    const [got, message] = await refusal(line)
    expect([got, message]).toEqual([status, expect.stringMatching(reason)])
  })
})

describe('bowline device health', () => {
  const uid = createHash('sha256').update('cli1').digest('hex')
  beforeAll(async () => {
    const begins = new Date(Math.floor(Date.now() / 3_600_000) * 3_600_000 - 7_200_000)
    const system = server.database.system()
    await sql`insert into device_health (device_uid, tenant_id, state, reported_at, cpu, load, cpus, memory, memory_bytes,
        memory_available_bytes, disk, filesystems, booted_at, latency)
      values (${uid}, ${ada.tenant}, 'reported', now(), 12.7, 0.255, 4, 50, 8589934592, 4294967296, 99.9,
        '[{"path":"/data\\n x","totalBytes":107374182400,"freeBytes":1073741824}]', '2026-01-02T03:04:05Z', 31)`.execute(
      system,
    )
    const twelve = (first: number) => [first, first + 10, ...Array.from({ length: 10 }, () => null)]
    await sql`insert into device_health_points (device_uid, tenant_id, step_minutes, begins_at, cpu, memory, disk, load, latency)
      values (${uid}, ${ada.tenant}, 5, ${begins}, ${twelve(20)}, ${twelve(40)}, ${twelve(60)}, ${twelve(100)},
        ${twelve(7)})`.execute(system)
  })

  it('shows the last report of a device, and the lowest, average and highest value of each measure', async () => {
    const lines = (await bowline('device health unit-1')).split('\n')
    expect(lines.map((line) => line.split(/ {2,}/).join(' | '))).toEqual([
      'DEVICE | unit-1',
      'state | reports',
      expect.stringMatching(/^reported \| \d{4}-\S+Z$/),
      'up since | 2026-01-02T03:04:05.000Z',
      'troubles | disk',
      'processors | 13 % of 4',
      expect.stringMatching(/^load per processor \| 0\.2[56]$/),
      'memory | 50 %, 4.0 GiB of 8.0 GiB available',
      'fullest filesystem | 99 %',
      'round trip | 31 ms',
      'filesystem | /data x: 1.0 GiB of 100.0 GiB free',
      '',
      '24 HOURS | LOWEST | AVERAGE | HIGHEST',
      'processors | 20 % | 25 % | 30 %',
      'load per processor | 1.00 | 1.05 | 1.10',
      'memory | 40 % | 45 % | 50 %',
      'fullest filesystem | 60 % | 65 % | 70 %',
      'round trip | 7 ms | 12 ms | 17 ms',
    ])
  })

  it('shows a month, and the same as JSON by the uid of the device', async () => {
    expect(await bowline('device health unit-1 --period month')).toMatch(/^30 DAYS +LOWEST/m)
    const history = HealthHistory.parse(await json(`device health ${uid} --period month`))
    expect([history.step_seconds, history.latest?.cpus]).toEqual([3_600, 4])
  })

  it('says that a device has never reported', async () => {
    const lines = await bowline('device health unit-4')
    expect(lines).toMatch(/^state +has never reported$/m)
    expect(lines).toMatch(/^memory +- +- +-$/m)
  })

  it.each([
    ['device health nowhere', 1, /There is no device named nowhere/],
    [`device health ${'0'.repeat(64)}`, 1, /The device was not found/],
    ['device health unit-1 --period year', 2, /Allowed choices are day, month/],
  ])('refuses %s', async (line, status, reason) => {
    const [got, message] = await refusal(line)
    expect([got, message]).toEqual([status, expect.stringMatching(reason)])
  })
})

describe('bowline views', () => {
  it('saves a view, lists its devices, changes it and deletes it', async () => {
    expect(await bowline('views create kiosks --set tag=kiosk --set tag=none --set seen=7d --shared')).toBe(
      'Saved the view kiosks.',
    )
    expect((await bowline('views list')).split('\n')[1]).toMatch(/^kiosks +namespace +tag=kiosk,none seen=7d /)
    expect(await names('devices --view kiosks')).toEqual(['unit-1'])
    expect(await json('views show kiosks')).toMatchObject({ query: { tag: ['kiosk', 'none'], seen: '7d' } })
    expect(await bowline('views update kiosks --set tag=lab --set seen=-3d --rename labs')).toBe(
      'Changed the view labs.',
    )
    expect(await names('devices --view labs')).toEqual(['unit-3', 'unit-4'])
    expect(await bowline('views remove labs')).toBe('Deleted the view labs.')
    expect(await json('views list')).toEqual([])
  })

  it.each([
    ['views create a --set tag', 2, /--set must be parameter=value/],
    ['views update a', 2, /One of --set and --rename is needed/],
    ['views show missing', 1, /no saved view of devices named missing/],
    ['views list --list machines', 2, /Allowed choices are devices, containers, sessions/],
  ])('refuses %s', async (line, status, reason) => {
    const [got, message] = await refusal(line)
    expect([got, message]).toEqual([status, expect.stringMatching(reason)])
  })
})
