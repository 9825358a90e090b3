// Side effects by role: tags and names decide which firewall rules and public keys apply to a device, so changing them
// needs the right to edit those.
import { randomUUID } from 'node:crypto'
import { ApiError } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import type { Role } from '@bowline/contract/roles'
import type { DeviceFilter } from '@bowline/contract/schemas/tag'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshKeyData } from '../testing/samples.ts'
import { type BootedServer, type Client, type Person, type RegisteredDevice, bootServer } from '../testing/boot.ts'

const { agentUpdates, alerts, audit, auth, containers, devices, firewall, installKeys, publicKeys, snippets, tags } =
  operations
let server: BootedServer
beforeAll(async () => {
  server = await bootServer()
  await server.setUpAccount()
})
afterAll(() => server.close())

interface World {
  readonly owner: Person
  readonly device: RegisteredDevice
  readonly operator: Client
}

const unique = () => `p${randomUUID().slice(0, 8)}`

async function join(owner: Person, role: Role): Promise<Client> {
  const person = await server.addPerson(unique())
  await server.addMember(owner.tenant, person.id, role)
  const { body } = await person.client.call(auth.switchNamespace, { params: { tenant: owner.tenant } })
  return server.client(body.token)
}

/** A namespace with the device `db-1`, tagged `pci`, and an operator. */
async function makeWorld(): Promise<World> {
  const owner = await server.addPerson(unique())
  const device = await server.acceptedDevice(owner, { hostname: 'db-1' })
  await owner.client.call(devices.setTags, { params: { uid: device.uid }, body: { tags: ['pci'] } })
  return { owner, device, operator: await join(owner, 'operator') }
}

async function addRule({ owner }: World, filter: DeviceFilter, active = true): Promise<number> {
  const rule = { action: 'deny' as const, active, priority: 1, source_ip: '.*', username: '.*', filter }
  return (await owner.client.call(firewall.create, { body: rule })).body.id
}

async function addKey({ owner }: World, filter: DeviceFilter): Promise<string> {
  const body = { data: freshKeyData(), name: 'laptop', username: '.*', filter }
  return (await owner.client.call(publicKeys.create, { body })).body.fingerprint
}

/** @returns the key, as devices present it */
async function addInstallKey({ owner }: World, ...ofKey: string[]): Promise<string> {
  return (await owner.client.call(installKeys.create, { body: { name: 'fleet', tags: ofKey } })).body.key
}

async function addAlert({ owner }: World, about: { tags?: string[]; filter?: string }): Promise<string> {
  const rule = { name: 'gone', condition: 'offline' as const, minutes: 5, target: 'slack' as const }
  return (await owner.client.call(alerts.create, { body: { ...rule, url: 'https://9.9.9.9/', ...about } })).body.id
}

async function addSnippet({ owner }: World, name: string, ...ofSnippet: string[]): Promise<void> {
  await owner.client.call(snippets.create, { body: { name, text: 'uptime', tags: ofSnippet } })
}

async function setCanary({ owner }: World, canary_tag: string): Promise<void> {
  await owner.client.call(agentUpdates.setPolicy, { body: { mode: 'automatic', canary_tag, window: null } })
}

const filterByTags = (operator: string, value: unknown) =>
  Buffer.from(JSON.stringify([{ type: 'property', params: { name: 'tags', operator, value } }])).toString('base64')

/** Things with tags other than devices, rules and keys. */
async function followers({ owner: { client } }: World) {
  const { canary_tag: canary, mode } = (await client.call(agentUpdates.get, {})).body.policy
  return {
    keys: (await client.call(installKeys.list, { query: {} })).body.map((key) => key.tags),
    alerts: (await client.call(alerts.list, {})).body.map(({ tags: ofRule, filter }) => [ofRule, filter]),
    snippets: (await client.call(snippets.list, {})).body.map(({ name, tags: given }) => [name, ...given]),
    canary,
    mode,
  }
}

const renameTag = (client: Client) => client.call(tags.rename, { params: { tag: 'pci' }, body: { tag: 'other' } })
const removeTag = (client: Client) => client.call(tags.remove, { params: { tag: 'pci' } })

/** Everything that decides access to the device. */
async function policyOf({ owner: { client }, device }: World): Promise<unknown> {
  const attempt = { device: device.uid, username: 'root', address: '192.0.2.1' }
  const { name, tags: ofDevice } = (await client.call(devices.get, { params: { uid: device.uid } })).body
  return {
    name,
    ofDevice,
    rules: (await client.call(firewall.list, {})).body,
    keys: (await client.call(publicKeys.list, {})).body,
    verdict: (await client.call(firewall.evaluate, { body: attempt })).body,
  }
}

/** `200`, or status, code and message. */
async function answerTo(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return '200'
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return `${error.status} ${error.code ?? ''}: ${error.message}`
  }
}

const entries = async ({ owner }: World) =>
  (await owner.client.call(audit.list, {})).body.map(({ action, target, details }) => ({ action, target, details }))

/** Calls that remove `db-1` from rules and keys for the tag `pci` or the name `db-1`. */
const EVASIONS: Record<string, (world: World) => Promise<unknown>> = {
  'removing the tag everywhere': ({ operator }) => operator.call(tags.remove, { params: { tag: 'pci' } }),
  'renaming the tag everywhere': ({ operator }) =>
    operator.call(tags.rename, { params: { tag: 'pci' }, body: { tag: 'other' } }),
  'taking the tag off the device': ({ operator, device }) =>
    operator.call(devices.removeTag, { params: { uid: device.uid, tag: 'pci' } }),
  'taking the tag off by the path of containers': ({ operator, device }) =>
    operator.call(containers.removeTag, { params: { uid: device.uid, tag: 'pci' } }),
  'setting other tags': ({ operator, device }) =>
    operator.call(devices.setTags, { params: { uid: device.uid }, body: { tags: ['other'] } }),
  'clearing the tags': ({ operator, device }) =>
    operator.call(devices.setTags, { params: { uid: device.uid }, body: { tags: [] } }),
}
const RENAMINGS: Record<string, (world: World) => Promise<unknown>> = {
  'renaming the device': ({ operator, device }) =>
    operator.call(devices.update, { params: { uid: device.uid }, body: { name: 'x-db-1' } }),
  'renaming the device by the older call': ({ operator, device }) =>
    operator.call(devices.rename, { params: { uid: device.uid }, body: { name: 'x-db-1' } }),
  'renaming the container': ({ operator, device }) =>
    operator.call(containers.update, { params: { uid: device.uid }, body: { name: 'x-db-1' } }),
}
const BY_TAG = { tags: ['pci'] }
const BY_NAME = { hostname: '^db-' }

describe('device policy as an operator', () => {
  it.each([
    ...Object.entries(EVASIONS).map(([what, evade]) => [what, BY_TAG, evade] as const),
    ...Object.entries(RENAMINGS).map(([what, evade]) => [what, BY_NAME, evade] as const),
  ])('rejects %s when it affects a firewall rule, and names the rule', async (_, filter, evade) => {
    const world = await makeWorld()
    const rule = await addRule(world, filter)
    const before = await policyOf(world)
    const answer = await answerTo(evade(world))
    expect(answer).toMatch(/^403 POLICY_CHANGE: /)
    expect(answer).toContain(`firewall rule ${rule}`)
    expect(await policyOf(world)).toEqual(before)
  })

  it.each([
    ...Object.entries(EVASIONS).map(([what, evade]) => [what, BY_TAG, evade] as const),
    // A key's pattern has to match the whole name.
    ...Object.entries(RENAMINGS).map(([what, evade]) => [what, { hostname: 'db-1' }, evade] as const),
  ])('rejects %s when it affects a public key, and names the key', async (_, filter, evade) => {
    const world = await makeWorld()
    const fingerprint = await addKey(world, filter)
    const before = await policyOf(world)
    const answer = await answerTo(evade(world))
    expect(answer).toMatch(/^403 POLICY_CHANGE: /)
    expect(answer).toContain(`public key laptop (${fingerprint})`)
    expect(await policyOf(world)).toEqual(before)
  })

  it('rejects adding a tag that lets a key in', async () => {
    const world = await makeWorld()
    await world.owner.client.call(devices.setTags, {
      params: { uid: (await server.acceptedDevice(world.owner)).uid },
      body: { tags: ['open'] },
    })
    await addKey(world, { tags: ['open'] })
    const add = world.operator.call(devices.addTag, { params: { uid: world.device.uid }, body: { tag: 'open' } })
    expect(await answerTo(add)).toMatch(/^403 POLICY_CHANGE: /)
  })

  it('rejects renaming a pending device when other rules would apply', async () => {
    const world = await makeWorld()
    const { uid } = await server.registerDevice(world.owner.tenant, { hostname: 'db-2' })
    await addRule(world, BY_NAME)
    const rename = world.operator.call(devices.update, { params: { uid }, body: { name: 'web-2' } })
    expect(await answerTo(rename)).toMatch(/^403 POLICY_CHANGE: /)
  })

  it('allows changing tags and names that match no rule or key', async () => {
    const world = await makeWorld()
    await addRule(world, { hostname: '.*' })
    await addRule(world, BY_TAG, false)
    const { uid } = world.device
    const { operator } = world
    expect(await answerTo(operator.call(devices.addTag, { params: { uid }, body: { tag: 'floor' } }))).toBe('200')
    expect(await answerTo(operator.call(devices.update, { params: { uid }, body: { name: 'web-7' } }))).toBe('200')
    expect(await answerTo(operator.call(tags.rename, { params: { tag: 'floor' }, body: { tag: 'ground' } }))).toBe(
      '200',
    )
    expect(await answerTo(operator.call(tags.remove, { params: { tag: 'ground' } }))).toBe('200')
  })

  it('rejects removing the tag of an inactive rule, which would be deleted', async () => {
    const world = await makeWorld()
    await addRule(world, BY_TAG, false)
    expect(await answerTo(world.operator.call(tags.remove, { params: { tag: 'pci' } }))).toMatch(/^403 POLICY_CHANGE: /)
  })
})

describe('a renamed tag', () => {
  it('is given to devices that enrol afterwards, which a renamed deny rule must not miss', async () => {
    const world = await makeWorld()
    const key = await addInstallKey(world, 'pci', 'two')
    const rule = await addRule(world, BY_TAG)
    await renameTag(world.owner.client)
    const { uid } = await server.registerDevice(world.owner.tenant, { install_key: key })
    const attempt = { device: uid, username: 'root', address: '192.0.2.1' }
    const { body } = await world.owner.client.call(firewall.evaluate, { body: attempt })
    expect(body).toEqual({ allow: false, rule })
    expect((await followers(world)).keys).toEqual([['other', 'two']])
  })

  it('does not silence alert rules, by tags or by a filter', async () => {
    const world = await makeWorld()
    await addAlert(world, { tags: ['pci'] })
    await addAlert(world, { filter: filterByTags('contains', ['two', 'pci']) })
    await addAlert(world, { filter: filterByTags('eq', 'pci') })
    await addAlert(world, { filter: filterByTags('contains', 'pc') })
    await addAlert(world, { filter: filterByTags('ncontains', ['pci']) })
    await addAlert(world, { filter: filterByTags('ncontains', 'pci') })
    await renameTag(world.owner.client)
    expect((await followers(world)).alerts).toEqual([
      [['other'], ''],
      [[], filterByTags('contains', ['two', 'other'])],
      [[], filterByTags('eq', 'other')],
      [[], filterByTags('contains', 'pc')],
      [[], filterByTags('ncontains', ['other'])],
      [[], filterByTags('ncontains', 'pci')],
    ])
  })

  it('stays the canary tag, also of a rollout that goes on', async () => {
    const world = await makeWorld()
    await setCanary(world, 'pci')
    const rollouts = server.database.system()
    const at = new Date()
    const stage = { state: 'running' as const, stage: 'canary' as const, canary_tag: 'pci' }
    const times = { started_at: at, stage_since: at, ended_at: null, heard_since: null, looked_at: null }
    const rollout = { tenant_id: world.owner.tenant, release: 2, version: '2', ...stage, ...times }
    await rollouts.insertInto('agent_rollouts').values(rollout).execute()
    await renameTag(world.owner.client)
    expect(await followers(world)).toMatchObject({ canary: 'other', mode: 'automatic' })
    const ours = rollouts.selectFrom('agent_rollouts').where('tenant_id', '=', world.owner.tenant)
    expect(await ours.select('canary_tag').execute()).toEqual([{ canary_tag: 'other' }])
  })
})

describe('a removed tag', () => {
  it('is taken from install keys, alert rules and snippets, and makes none of them wider', async () => {
    const world = await makeWorld()
    await addSnippet(world, 'disks', 'pci', 'two')
    await addSnippet(world, 'logs', 'pci')
    await addInstallKey(world, 'pci', 'two')
    await addAlert(world, { tags: ['two', 'pci'] })
    await addAlert(world, { tags: ['pci'] })
    await addAlert(world, { filter: filterByTags('eq', 'pci') })
    await removeTag(world.owner.client)
    const left = [
      [['two'], ''],
      [[], filterByTags('eq', 'pci')],
    ]
    expect(await followers(world)).toMatchObject({ keys: [['two']], alerts: left, snippets: [['disks', 'two']] })
    await world.owner.client.call(tags.remove, { params: { tag: 'two' } })
    expect(await followers(world)).toMatchObject({ keys: [], alerts: [left[1]], snippets: [] })
  })

  it('switches updates off that would begin with a tenth of all devices instead of it', async () => {
    const world = await makeWorld()
    await setCanary(world, 'pci')
    await removeTag(world.owner.client)
    expect(await followers(world)).toMatchObject({ canary: null, mode: 'off' })
  })
})

describe.each([
  ['an install key', (world: World) => addInstallKey(world, 'pci'), 'install key fleet'],
  ['an alert rule', (world: World) => addAlert(world, BY_TAG), 'alert rule '],
  [
    'the filter of an alert rule',
    (world: World) => addAlert(world, { filter: filterByTags('contains', 'PC') }),
    'alert',
  ],
  ['a snippet', (world: World) => addSnippet(world, 'disks', 'pci'), 'snippet disks'],
  ['the updates of agents', (world: World) => setCanary(world, 'pci'), 'the policy of agent updates'],
])('a tag of %s', (_, add, named) => {
  it.each([
    ['renames', renameTag],
    ['removes', removeTag],
  ])('is none that an operator %s', async (_what, change) => {
    const world = await makeWorld()
    await add(world)
    const before = await followers(world)
    const answer = await answerTo(change(world.operator))
    expect(answer).toMatch(/^403 POLICY_CHANGE: /)
    expect(answer).toContain(named)
    expect(await followers(world)).toEqual(before)
    const { uid } = world.device
    expect((await world.owner.client.call(devices.get, { params: { uid } })).body.tags).toEqual(['pci'])
  })
})

it('lists tags that only install keys, alert rules, snippets or updates have, and gives no other tag their name', async () => {
  const world = await makeWorld()
  await addInstallKey(world, 'enrolled')
  await addAlert(world, { tags: ['watched'] })
  await addSnippet(world, 'disks', 'offered')
  await setCanary(world, 'early')
  const all = ['pci', 'enrolled', 'watched', 'offered', 'early']
  expect((await world.owner.client.call(tags.list, {})).body).toEqual(all)
  const rename = world.operator.call(tags.rename, { params: { tag: 'pci' }, body: { tag: 'early' } })
  expect(await answerTo(rename)).toMatch(/^409 CONFLICT/)
})

describe('audit log', () => {
  it('logs every rule and key deleted or changed with a tag', async () => {
    const world = await makeWorld()
    const only = await addRule(world, BY_TAG)
    await world.owner.client.call(devices.addTag, { params: { uid: world.device.uid }, body: { tag: 'two' } })
    const both = await addRule(world, { tags: ['pci', 'two'] })
    const key = await addKey(world, BY_TAG)
    await world.owner.client.call(tags.remove, { params: { tag: 'pci' } })
    expect((await entries(world)).slice(0, 4)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          action: 'tag.remove',
          target: 'pci',
          details: {
            rules: { removed: [only], changed: [both] },
            keys: { removed: [key], changed: [] },
            installKeys: { removed: [], changed: [] },
            alerts: { removed: [], changed: [], affected: [] },
            snippets: { removed: [], changed: [] },
            tagRules: { removed: [], changed: [] },
            roles: { removed: [], changed: [] },
            updates: [],
          },
        }),
        expect.objectContaining({
          action: 'firewall-rule.remove',
          target: String(only),
          details: expect.objectContaining({ because: { tag: 'pci' }, before: expect.objectContaining({ id: only }) }),
        }),
        expect.objectContaining({
          action: 'firewall-rule.update',
          target: String(both),
          details: expect.objectContaining({
            before: expect.objectContaining({ filter: { tags: ['pci', 'two'] } }),
            after: expect.objectContaining({ filter: { tags: ['two'] } }),
          }),
        }),
        expect.objectContaining({ action: 'public-key.remove', target: key }),
      ]),
    )
  })

  it('logs the rules and keys that cease to apply to a renamed device', async () => {
    const world = await makeWorld()
    const rule = await addRule(world, BY_NAME)
    const key = await addKey(world, { hostname: 'db-1' })
    await world.owner.client.call(devices.update, { params: { uid: world.device.uid }, body: { name: 'web-9' } })
    expect((await entries(world))[0]).toMatchObject({
      action: 'device.update',
      details: { policy: { rules: [rule], keys: [key] } },
    })
  })
})
