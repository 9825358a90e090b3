// `bowline import` from a double of the old server into a real one.
import { readFile, stat, writeFile } from 'node:fs/promises'
import { operations } from '@bowline/contract/operations'
import { TenantId } from '@bowline/contract/schemas/common'
import type { OldServerDouble } from '@bowline/testkit/old-server-double'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { type BootedServer, type Client, type Person, bootServer } from '../../testing/boot.ts'
import type { Report } from './report.ts'
import { fetchOptions, filledServer, homeOf, mac, pem } from './testing.ts'

const { auth, audit, devices, containers, firewall, namespaces, publicKeys } = operations
let server: BootedServer
beforeAll(async () => {
  server = await bootServer({ settings: { BOWLINE_REGISTRATION: 'invited' } })
  await server.setUpAccount()
})
afterAll(() => server.close())

let person: Person
let old: OldServerDouble
let cli: Awaited<ReturnType<typeof homeOf>>
let count = 0
beforeEach(async () => {
  person = await server.addPerson(`mover${(count += 1)}`)
  old = await filledServer()
  old.state.name = `oldplace${count}`
  cli = await homeOf(server, person)
  return async () => {
    await cli.remove()
    await old[Symbol.asyncDispose]()
  }
})

const file = (): string => `${cli.home}/old.json`
const fetched = async () => cli.bowline(await fetchOptions(cli.home, old))
const applied = async (options = ''): Promise<Report> => (await cli.json(`import apply ${file()}${options}`)) as Report
/** Client in the namespace with the old id. */
async function there(): Promise<Client> {
  const params = { tenant: old.tenant }
  return server.client((await person.client.call(auth.switchNamespace, { params })).body.token)
}
const linesOf = ({ lines }: Report) => lines.map(({ what, name, outcome }) => `${what} ${name} ${outcome}`)
const reasonOf = ({ lines }: Report, name: string) => lines.find((line) => line.name === name)?.reason ?? ''

describe('bowline import fetch', () => {
  it('reads everything of the namespace into a private file without secrets', async () => {
    const lines = (await fetched()).split('\n')
    expect(lines[0]).toBe(`Read ${old.state.name} (${old.tenant}) into ${file()}.`)
    expect(lines.slice(2).map((line) => line.split(/ {2,}/))).toEqual([
      ['devices', '5'],
      ['public keys', '4'],
      ['firewall rules', '4'],
      ['members', '3'],
      ['api keys', '1'],
    ])
    const text = await readFile(file(), 'utf8')
    expect((await stat(file())).mode & 0o777).toBe(0o600)
    expect(text).not.toContain(old.token)
    await expect(stat(`${file()}.part`)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  it('reads the shapes of newer servers, with an API key, and tells what that does not show', async () => {
    const newer = await filledServer({ style: 'new' })
    onTestFinished(() => newer[Symbol.asyncDispose]())
    const line = await fetchOptions(cli.home, newer, newer.apiKey)
    const read = (await cli.json(line)) as { members: number; devices: number; notes: string[] }
    expect(read).toMatchObject({ members: 3, devices: 5, api_keys: 0 })
    expect(read.notes).toEqual([`${newer.origin} does not have /api/namespaces/api-key, or not for this token.`])
    expect(JSON.parse(await readFile(file(), 'utf8'))).toMatchObject({
      devices: expect.arrayContaining([expect.objectContaining({ tags: ['kiosk'] })]),
    })
  })

  it('goes on where it was broken off', async () => {
    for (let i = 0; i < 250; i += 1) old.addDevice({ name: `unit-${i}`, mac: mac(), public_key: pem() })
    old.misbehaves = (url, response) => {
      if (url.searchParams.get('page') !== '3') return false
      response.writeHead(400).end()
      return true
    }
    const line = await fetchOptions(cli.home, old)
    expect(await cli.refusal(line)).toEqual([1, expect.stringContaining('answers 400')])
    old.misbehaves = () => false
    old.asked.length = 0
    const { status, errors } = await cli.run(line.split(' '))
    expect([status, errors]).toEqual([0, 'Going on after 2 pages that were read before.'])
    expect(old.asked.filter((path) => path.startsWith('/api/devices?status=accepted'))).toHaveLength(1)
    const { devices: read } = JSON.parse(await readFile(file(), 'utf8')) as { devices: { uid: string }[] }
    expect(new Set(read.map(({ uid }) => uid)).size).toBe(255)
  })

  it('refuses to go on for another namespace', async () => {
    await writeFile(
      `${file()}.part`,
      `${JSON.stringify({ format: 'bowline-import-part', version: 1, server: old.origin, tenant: 'x' })}\n`,
    )
    expect(await cli.refusal(await fetchOptions(cli.home, old))).toEqual([
      2,
      expect.stringContaining('remove it first'),
    ])
  })
})

describe('bowline import apply', () => {
  beforeEach(() => fetched())

  it('makes the namespace with the id that its agents send, and everything in it', async () => {
    const report = await applied(' --create --lose-rules')
    expect(report).toMatchObject({ namespace: { name: old.state.name, tenant_id: old.tenant }, dry_run: false })
    expect(linesOf(report)).toEqual([
      'setting session_record changed',
      'setting connection_announcement changed',
      'firewall rule deny 5: ^10[.] to root@kiosk created',
      'firewall rule allow 9: ^10[.] to root@.* created',
      'firewall rule deny 5: 10.0.0.0/8 to root@.* refused',
      'firewall rule deny 5: ^10[.] to (?!root)@.* refused',
      'device web changed',
      'device foreign refused',
      'device waiting created',
      'device rejected created',
      'device box created',
      'public key laptop created',
      'public key tagged created',
      'public key nowhere refused',
      'public key lookahead refused',
      'member owner@example.com created',
      'member grace@example.com created',
      'member not an address refused',
      'API key ci refused',
    ])
    const client = await there()
    const uids = Object.fromEntries(old.state.devices.map(({ name, uid }) => [name, uid]))
    const { body: here } = await client.call(devices.list, { query: { status: '' } })
    expect(here.map(({ name, uid, status }) => `${name} ${uid} ${status}`).toSorted()).toEqual([
      `rejected ${uids['rejected']} rejected`,
      `waiting ${uids['waiting']} pending`,
      `web ${uids['web']} accepted`,
    ])
    expect(here.find(({ name }) => name === 'web')).toMatchObject({ tags: ['kiosk'] })
    const { body: boxes } = await client.call(containers.list, {})
    expect(boxes).toMatchObject([{ name: 'box', uid: uids['box'], identity: { mac: '0123456789ab' } }])
    const { body: rules } = await client.call(firewall.list, {})
    expect(rules.map(({ priority, filter }) => [priority, filter])).toEqual([
      [5, { tags: ['kiosk'] }],
      [9, { hostname: '.*' }],
    ])
    const { body: namespace } = await client.call(namespaces.get, { params: { tenant: old.tenant } })
    expect(namespace.settings).toMatchObject({ session_record: false, connection_announcement: 'Hello from there' })
    expect(namespace.members.map(({ email, role, status }) => [email, role, status])).toEqual(
      expect.arrayContaining([
        ['owner@example.com', 'administrator', 'pending'],
        ['grace@example.com', 'operator', 'pending'],
      ]),
    )
  })

  it('says why something could not come', async () => {
    const report = await applied(' --create --lose-rules')
    expect(reasonOf(report, 'foreign')).toContain('would register another device')
    expect(reasonOf(report, 'nowhere')).toBe('The tag unused was not found.')
    expect(reasonOf(report, 'lookahead')).toBe('username must be a pattern in RE2 syntax: (?=root)')
    expect(reasonOf(report, 'deny 5: 10.0.0.0/8 to root@.*')).toContain('belongs in source_networks')
    expect(reasonOf(report, 'owner@example.com')).toContain('Was the owner there')
    expect(reasonOf(report, 'ci')).toContain('create a key with the role operator')
    const link = report.lines.find(({ name }) => name === 'grace@example.com')?.link
    expect(link).toMatch(/\/accept-invite\?tenant-id=/)
  })

  it('does not make keys the keys of whoever imports, and lets them open what they opened', async () => {
    await applied(' --create --lose-rules')
    const { body: keys } = await (await there()).call(publicKeys.list, {})
    expect(
      keys.map(({ name, owner, disabled, username, filter }) => [name, owner, disabled, username, filter]),
    ).toEqual([
      ['laptop', null, false, '(?s:.*)(?:root)(?s:.*)', { hostname: '(?s:.*)(?:web)(?s:.*)' }],
      ['tagged', null, false, '.*', { tags: ['kiosk'] }],
    ])
  })

  it('is the same after a second time', async () => {
    await applied(' --create --lose-rules')
    const client = await there()
    const state = async () => [
      (await client.call(devices.list, { query: { status: '' } })).body,
      (await client.call(firewall.list, {})).body,
      (await client.call(publicKeys.list, {})).body,
      (await client.call(namespaces.get, { params: { tenant: old.tenant } })).body,
      (await client.call(audit.list, {})).total,
    ]
    const before = await state()
    const second = await applied(' --lose-rules')
    expect(await state()).toEqual(before)
    const outcomes = second.lines.map(({ outcome }) => outcome)
    expect(outcomes.filter((outcome) => outcome === 'unchanged')).toHaveLength(12)
    expect(outcomes.filter((outcome) => outcome === 'created' || outcome === 'changed')).toEqual([])
  })

  it('changes nothing in a dry run, before and after the namespace is there', async () => {
    const planned = await applied(' --create --dry-run')
    const { body: mine } = await person.client.call(namespaces.list, {})
    expect(mine.map(({ tenant_id }) => tenant_id)).toEqual([person.tenant])
    expect(planned.lines.filter(({ what }) => what === 'device').map(({ outcome }) => outcome)).toEqual([
      'created',
      'refused',
      'created',
      'created',
      'created',
    ])
    await person.client.call(namespaces.create, { body: { name: old.state.name, tenant: old.tenant } })
    const dry = await applied(' --dry-run')
    const client = await there()
    expect((await client.call(devices.list, { query: { status: '' } })).total).toBe(0)
    expect((await client.call(firewall.list, {})).total).toBe(0)
    expect(linesOf(dry).filter((line) => line.startsWith('device'))).toContain('device web created')
  })

  it('prints a table of what it did and what could not come', async () => {
    const lines = (await cli.bowline(`import apply ${file()} --create --lose-rules`)).split('\n')
    expect(lines[0]).toBe(`Imported into ${old.state.name} (${old.tenant}).`)
    expect(lines[1]).toMatch(/^WHAT +CREATED +CHANGED +UNCHANGED +WAITS +REFUSED$/)
    expect(lines.find((line) => line.startsWith('device '))).toMatch(/^device +3 +1 +0 +0 +1$/)
    expect(lines.join('\n')).toMatch(/^member +grace@example.com +created +http\S+accept-invite\S+$/m)
  })

  it('imports no device when a rule that denies cannot come, unless told so', async () => {
    const [status, errors] = await cli.refusal(`import apply ${file()} --create`)
    expect([status, errors]).toEqual([1, expect.stringContaining('deny 5: ^10[.] to (?!root)@.*: username must be')])
    const { body: here } = await (await there()).call(devices.list, { query: { status: '' } })
    expect(here.map(({ name, status: state }) => [name, state])).toEqual([['web', 'pending']])
    old.state.rules = [
      { ...old.state.rules?.[3], active: false },
      { ...old.state.rules?.[0], filter: { tags: ['unused'] } },
    ]
    await fetched()
    const report = await applied('')
    expect(reasonOf(report, 'deny 5: ^10[.] to root@unused')).toBe('The tag unused was not found.')
  })

  it('lets a device wait that cannot have a tag which rules are about', async () => {
    old.state.rules = [{ ...old.state.rules?.[1], filter: { tags: ['first', 'xy'] } }]
    old.addDevice({ name: 'four', mac: mac(), public_key: pem(), tags: ['aaa', 'bbb', 'ccc', 'first'] })
    old.addDevice({ name: 'held', mac: mac(), public_key: pem(), tags: ['xy'] })
    await fetched()
    const report = await applied(' --create')
    expect(reasonOf(report, 'four')).toMatch(/^Without the tags ccc: /)
    expect(linesOf(report)).toEqual(expect.arrayContaining(['device four changed', 'device held waits']))
    expect(reasonOf(report, 'held')).toContain('look at these before you accept it')
  })

  it('leaves parts out', async () => {
    const report = await applied(' --create --without members --without rules --without keys --without settings')
    expect(new Set(report.lines.map(({ what }) => what))).toEqual(new Set(['device', 'API key']))
  })

  it('imports into another namespace only when told so: devices have other uids there', async () => {
    expect(await cli.refusal(`import apply ${file()}`)).toEqual([2, expect.stringContaining('--create')])
    const report = await applied(' --new-id --lose-rules')
    expect(report.namespace.tenant_id).toBe(person.tenant)
    const { body: here } = await person.client.call(devices.list, {})
    const device = old.state.devices.find(({ name }) => name === 'web')
    expect(here.map(({ name }) => name)).toEqual(['web'])
    expect(here[0]?.uid).not.toBe(device?.['uid'])
    // With the id of the new namespace in its settings, the agent is the device.
    const identity = device?.['identity'] as { mac: string }
    const body = {
      info: device?.['info'] as never,
      identity,
      public_key: String(device?.['public_key']),
      tenant_id: person.tenant,
    }
    const registered = await server.client().call(auth.authenticateDevice, { body })
    expect(registered.body.uid).toBe(here[0]?.uid)
  })

  it('refuses the id and the name of another namespace', async () => {
    const other = await server.addPerson(`other${count}`)
    await other.client.call(namespaces.create, { body: { name: `taken${count}`, tenant: old.tenant } })
    expect(await cli.refusal(`import apply ${file()} --create`)).toEqual([
      1,
      expect.stringContaining(`has the id ${old.tenant}`),
    ])
  })

  it('refuses operators and observers before it does anything', async () => {
    const owner = await server.addPerson(`owner${count}`)
    await owner.client.call(namespaces.create, { body: { name: `lent${count}`, tenant: old.tenant } })
    const tenant = TenantId.parse(old.tenant)
    for (const role of ['operator', 'observer'] as const) {
      await server.addMember(tenant, person.id, role)
      const [status, errors] = await cli.refusal(`import apply ${file()}`)
      expect([status, errors]).toEqual([2, expect.stringContaining(`your role is ${role}`)])
      await server.removeMember(tenant, person.id)
    }
  })

  it.each([
    ['--without everything', 'settings, rules, devices, keys, members'],
    ['--create', 'old.json: devices.0.status'],
  ])('refuses %s with what is wrong', async (options, text) => {
    if (options === '--create') {
      const content = JSON.parse(await readFile(file(), 'utf8')) as { devices: { status: string }[] }
      for (const device of content.devices) device.status = 'removed'
      await writeFile(file(), JSON.stringify(content))
    }
    expect(await cli.refusal(`import apply ${file()} ${options}`)).toEqual([2, expect.stringContaining(text)])
  })

  it.each([
    ['{', 'is not JSON'],
    ['{"version":2}', 'has version 2'],
    ['[]', 'expected object'],
  ])('refuses a file with %s', async (content, text) => {
    await writeFile(file(), content)
    expect(await cli.refusal(`import apply ${file()}`)).toEqual([2, expect.stringContaining(text)])
  })
})
