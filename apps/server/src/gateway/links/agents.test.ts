import { generateKeyPairSync } from 'node:crypto'
import type { Link, LinkCause } from '@bowline/link/api'
import { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { PluginTransformQueryArgs, PluginTransformResultArgs } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Clock, systemClock } from '@bowline/base/clock'
import type { DeviceActor, TenantContext } from '../../context.ts'
import { type TestDatabase, testDatabase } from '../../testing/database.ts'
import { get } from '../../devices/service.ts'
import { createNamespace } from '../../namespaces/service.ts'
import { nowhere } from '../../platform/positions.ts'
import { randomIds } from '../../platform/ids.ts'
import { silentLog } from '../../platform/log.ts'
import { COMMAND_LINE } from '../../users/activity.ts'
import { createUser } from '../../users/service.ts'
import { type Agents, type LinkEvents, type MovedLink, createAgents } from './agents.ts'

let test: TestDatabase
let tenant: TenantId
let device: DeviceActor
let agents: Agents
let online: boolean[]
let everyTenSeconds: (() => void)[]

/** What the node has told others of links that they had held. */
let told: { readonly node: string; readonly link: MovedLink }[]
let hoursPassed: number

const clock: Clock = {
  ...systemClock,
  monotonic: () => systemClock.monotonic() + hoursPassed * 3_600_000,
  every(_, action) {
    everyTenSeconds.push(action)
    return () => undefined
  },
}

function contextOf(_: DeviceActor = device, source = ''): TenantContext {
  return {
    actor: device,
    tenant,
    db: test.database.forTenant(tenant),
    clock,
    log: silentLog,
    edition: 'community',
    source,
    locate: nowhere,
    hasListeners: () => true,
    emit: (event) => {
      if (event.type === 'device.changed') online.push(event.device.online)
    },
  }
}

/** A link that records its close causes. */
function fakeLink(): Link & { causes: LinkCause[]; streamCount: number } {
  const causes: LinkCause[] = []
  return {
    causes,
    streamCount: 1,
    open: () => {
      throw new Error('no stream is opened in these tests')
    },
    goaway: () => undefined,
    close: (cause) => void causes.push(cause),
  }
}

const gone: LinkCause = { by: 'network', reason: 'closed', message: 'The connection was closed.' }
/** Lets the device's next link leave one open that announces it. */
async function letHandOver(minutes = 15): Promise<void> {
  const handover_until = new Date(Date.now() + minutes * 60_000)
  await test.database
    .forTenant(tenant)
    .insertInto('agent_states')
    .values({
      device_uid: device.uid,
      tenant_id: tenant,
      release: 10,
      since: new Date(),
      reported_at: new Date(),
      handover_until,
    })
    .onConflict((conflict) => conflict.column('device_uid').doUpdateSet({ handover_until }))
    .execute()
}
/** Resolves when a link has used what {@link letHandOver} lets. */
async function handoverIsTaken(): Promise<void> {
  const row = test.database.system().selectFrom('agent_states').where('device_uid', '=', device.uid)
  const until = async () => (await row.select('handover_until').executeTakeFirstOrThrow()).handover_until
  await expect.poll(until).toBeNull()
}
/** The node that the tests are about. */
const createNode = (node: string, own: Partial<Parameters<typeof createAgents>[0]> = {}): Agents =>
  createAgents({
    db: test.database.system(),
    clock,
    log: silentLog,
    node,
    contextOf,
    tellHolder: (holder, link) => void told.push({ node: holder, link }),
    ...own,
  })
const isOnline = async () => (await get(contextOf(), device.uid)).online

beforeAll(async () => {
  test = await testDatabase()
  const db = test.database.system()
  const owner = await createUser(
    db,
    { ids: randomIds, clock: systemClock, origin: COMMAND_LINE },
    {
      name: 'Anna',
      username: 'anna',
      email: 'anna@example.org',
      passwordHash: 'x',
      status: 'confirmed',
      maxNamespaces: -1,
    },
  )
  tenant = await createNamespace(db, randomIds, { name: 'dev', owner, type: 'team' })
})
afterAll(() => test.close())

beforeEach(async () => {
  online = []
  told = []
  hoursPassed = 0
  everyTenSeconds = []
  device = {
    kind: 'device',
    proven: true,
    tenant,
    uid: DeviceUid.parse(randomIds.secret(48).replaceAll(/./g, (c) => (c.charCodeAt(0) % 16).toString(16))),
  }
  const { publicKey } = generateKeyPairSync('ed25519')
  await test.database
    .forTenant(tenant)
    .insertInto('devices')
    .values({
      uid: device.uid,
      tenant_id: tenant,
      name: device.uid.slice(0, 12),
      public_key: publicKey.export({ type: 'spki', format: 'pem' }),
      disconnected_at: new Date(),
    })
    .execute()
  agents = createNode('node-a')
  agents.start()
})

describe('device links', () => {
  it('finds a link from claim to end and sets the device online and offline', async () => {
    const link = fakeLink()
    const events = agents.add(device, link, '192.0.2.1')
    await expect.poll(() => agents.find(device.uid)).toBe(link)
    expect(await isOnline()).toBe(true)
    events.closed(gone)
    await agents.close()
    expect(agents.find(device.uid)).toBeUndefined()
    expect(await isOnline()).toBe(false)
    expect(online).toEqual([true, false])
  })

  it('keeps the newest link of a device online when an older one ends', async () => {
    const older = fakeLink()
    const newer = fakeLink()
    const olderEvents = agents.add(device, older, '192.0.2.1')
    await expect.poll(() => agents.find(device.uid)).toBe(older)
    agents.add(device, newer, '192.0.2.2')
    await expect.poll(() => agents.find(device.uid)).toBe(newer)
    expect(older.causes.map((cause) => cause.reason)).toEqual(['displaced'])
    olderEvents.closed(gone)
    await agents.close()
    expect(agents.find(device.uid)).toBe(newer)
    expect(await isOnline()).toBe(true)
  })

  /** Two links, of which the older has handed over to the newer. */
  async function handedOver() {
    const [older, newer] = [fakeLink(), fakeLink()]
    const olderEvents = agents.add(device, older, '192.0.2.1')
    await expect.poll(() => agents.held(device.uid)?.epoch).toBe(1)
    await letHandOver()
    olderEvents.handsOver()
    expect(agents.find(device.uid)).toBe(older)
    const newerEvents = agents.add(device, newer, '192.0.2.7')
    await expect.poll(() => agents.find(device.uid)).toBe(newer)
    await handoverIsTaken()
    return { older, newer, olderEvents, newerEvents }
  }
  const look = (): void => {
    for (const flush of everyTenSeconds) flush()
  }

  it('leaves a link open that hands over, for what runs on it, until it ends or the device is removed', async () => {
    const { older, olderEvents } = await handedOver()
    expect([older.causes, agents.heldBefore(device.uid, 1)?.link]).toEqual([[], older])
    expect(agents.heldBefore(device.uid, 2)).toBeUndefined()
    agents.drop(device.uid)
    expect(older.causes.map((cause) => cause.reason)).toEqual(['removed'])
    olderEvents.closed(gone)
    expect(agents.heldBefore(device.uid, 1)).toBeUndefined()
    await agents.close()
    expect(await isOnline()).toBe(true)
  })

  it('writes into the audit log which device has handed its link over, and where the newer one comes from', async () => {
    await handedOver()
    const entries = test.database.system().selectFrom('audit_log').select(['actor_type', 'actor_id', 'target', 'ip'])
    expect(
      await entries.where('action', '=', 'agent-update.handover').where('target', '=', device.uid).execute(),
    ).toEqual([{ actor_type: 'system', actor_id: `device ${device.uid}`, target: device.uid, ip: '192.0.2.7' }])
  })

  it('closes a link that has handed over once nothing has run on it for a while', async () => {
    const { older, newer } = await handedOver()
    look()
    older.streamCount = 0
    look()
    // A stream was on its way.
    older.streamCount = 1
    look()
    older.streamCount = 0
    look()
    expect(older.causes).toEqual([])
    look()
    expect(older.causes.map((cause) => cause.reason)).toEqual(['handed-over'])
    newer.streamCount = 0
    look()
    look()
    expect(newer.causes).toEqual([])
  })

  it('closes a link that has handed over after a day, whatever runs on it', async () => {
    const { older } = await handedOver()
    hoursPassed = 23
    look()
    expect(older.causes).toEqual([])
    hoursPassed = 25
    look()
    expect(older.causes.map((cause) => cause.reason)).toEqual(['handed-over'])
  })

  it.each([
    ['without an update', async () => {}],
    ['after the time for it', () => letHandOver(-1)],
  ])('closes a link at once that hands over %s', async (_, prepare) => {
    await prepare()
    const [older, newer] = [fakeLink(), fakeLink()]
    const olderEvents = agents.add(device, older, '192.0.2.1')
    await expect.poll(() => agents.find(device.uid)).toBe(older)
    olderEvents.handsOver()
    agents.add(device, newer, '192.0.2.1')
    await expect.poll(() => older.causes.map(({ reason }) => reason)).toEqual(['displaced'])
    expect(agents.find(device.uid)).toBe(newer)
  })

  it('lets one link hand over for each announcement', async () => {
    const { newer, newerEvents } = await handedOver()
    newerEvents.handsOver()
    agents.add(device, fakeLink(), '192.0.2.1')
    await expect.poll(() => newer.causes.map(({ reason }) => reason)).toEqual(['displaced'])
  })

  it('keeps a few links that have handed over, and closes the oldest beyond', async () => {
    const links = Array.from({ length: 6 }, () => fakeLink())
    for (const [index, link] of links.entries()) {
      await letHandOver()
      const events = agents.add(device, link, '192.0.2.1')
      await expect.poll(() => agents.find(device.uid)).toBe(link)
      if (index > 0) await handoverIsTaken()
      events.handsOver()
      // As the link reports it once it is closed.
      link.close = (cause) => {
        link.causes.push(cause)
        events.closed(cause)
      }
    }
    expect(links.map((link) => link.causes.length)).toEqual([1, 1, 0, 0, 0, 0])
  })

  describe('of a device that moves to another node', () => {
    /** A link of this node, and a newer one at another. */
    async function moved(prepare: (events: LinkEvents) => Promise<void> | void = () => {}) {
      const other = createNode('node-b')
      const older = fakeLink()
      const events = agents.add(device, older, '192.0.2.1')
      await expect.poll(() => agents.find(device.uid)).toBe(older)
      await prepare(events)
      other.add(device, fakeLink(), '192.0.2.9')
      await expect.poll(() => told).toHaveLength(1)
      const [message] = told
      if (!message) throw new Error('the other node has told it')
      expect(message).toEqual({
        node: 'node-a',
        link: { device: device.uid, tenant, epoch: 2, remote: '192.0.2.9' },
      })
      agents.moved(message.link)
      return { older, events }
    }

    it('end when this node is told', async () => {
      const { older, events } = await moved()
      expect(older.causes.map(({ reason }) => reason)).toEqual(['displaced'])
      events.closed(gone)
      await agents.close()
      expect(await isOnline()).toBe(true)
    })

    it('go on where an update lets them hand over', async () => {
      const { older } = await moved(async (events) => {
        await letHandOver()
        events.handsOver()
      })
      await handoverIsTaken()
      expect([older.causes, agents.heldBefore(device.uid, 1)?.link, agents.find(device.uid)]).toEqual([
        [],
        older,
        undefined,
      ])
    })

    it('go on at a node that stops, which has asked its agents to move', async () => {
      const { older } = await moved(() => agents.drain())
      expect(older.causes).toEqual([])
    })

    it('stay when they are newer', async () => {
      const newest = fakeLink()
      agents.add(device, newest, '192.0.2.1')
      await expect.poll(() => agents.find(device.uid)).toBe(newest)
      agents.moved({ device: device.uid, tenant, epoch: 1, remote: '192.0.2.9' })
      expect(newest.causes).toEqual([])
    })

    it('end when this node is told while their claim is under way', async () => {
      const link = fakeLink()
      agents.add(device, link, '192.0.2.1')
      agents.moved({ device: device.uid, tenant, epoch: 2, remote: '192.0.2.9' })
      await expect.poll(() => link.causes.map(({ reason }) => reason)).toEqual(['displaced'])
      expect(agents.find(device.uid)).toBeUndefined()
    })
  })

  it('keeps exactly one of many concurrent links and the device online', async () => {
    const links = Array.from({ length: 12 }, () => fakeLink())
    const events = links.map((link) => agents.add(device, link, '192.0.2.1'))
    await expect.poll(() => links.filter((link) => link.causes.length).length).toBe(11)
    const winner = agents.find(device.uid)
    for (const [index, link] of links.entries()) if (link !== winner) events[index]?.closed(gone)
    await agents.close()
    expect(links.filter((link) => link === winner)).toHaveLength(1)
    expect(agents.find(device.uid)).toBe(winner)
    expect(await isOnline()).toBe(true)
  })

  it('leaves the device offline when a link ends before its claim', async () => {
    const link = fakeLink()
    agents.add(device, link, '192.0.2.1').closed(gone)
    await agents.close()
    expect(agents.find(device.uid)).toBeUndefined()
    expect(await isOnline()).toBe(false)
  })

  it('closes a link of a removed device', async () => {
    await test.database.forTenant(tenant).deleteFrom('devices').where('uid', '=', device.uid).execute()
    const link = fakeLink()
    agents.add(device, link, '192.0.2.1')
    await expect.poll(() => link.causes.map((cause) => cause.reason)).toEqual(['removed'])
  })

  it('claims links that come together in one statement, and writes nothing while they stand', async () => {
    const statements: string[] = []
    const db = test.database.system().withPlugin({
      transformQuery({ node }) {
        statements.push(node.kind)
        return node
      },
      transformResult: ({ result }) => Promise.resolve(result),
    })
    const many = createNode('node-b', { db })
    everyTenSeconds = []
    many.start()
    const rows = Array.from({ length: 300 }, (_, index) => ({
      uid: DeviceUid.parse(index.toString(16).padStart(64, '0')),
      tenant_id: tenant,
      name: `many-${index}`,
      public_key: 'key',
    }))
    await test.database.forTenant(tenant).insertInto('devices').values(rows).execute()
    for (const { uid } of rows) many.add({ kind: 'device', tenant, uid, proven: true }, fakeLink(), '192.0.2.1')
    await expect.poll(() => many.count, { timeout: 20_000 }).toBe(300)
    expect(statements.splice(0)).toEqual(['RawNode'])
    expect(everyTenSeconds).toHaveLength(1)
    for (const flush of everyTenSeconds) flush()
    await many.close()
    expect(statements).toEqual([])
  })

  it('closes a link whose namespace was deleted while it was claimed', async () => {
    const link = fakeLink()
    await test.database
      .system()
      .transaction()
      .execute(async (transaction) => {
        await transaction.selectFrom('devices').select('uid').where('uid', '=', device.uid).forUpdate().execute()
        agents.add(device, link, '192.0.2.1')
        agents.dropNamespaces(new Set([tenant]))
      })
    await expect.poll(() => link.causes.map(({ reason }) => reason)).toEqual(['namespace-removed'])
  })

  it('reports a device offline although the database was away when its link ended', async () => {
    let isAway = false
    const orAway = {
      transformQuery({ node }: PluginTransformQueryArgs) {
        if (isAway) throw new Error('the database is away')
        return node
      },
      transformResult: ({ result }: PluginTransformResultArgs) => Promise.resolve(result),
    }
    const unreliable = (): TenantContext => ({ ...contextOf(), db: test.database.forTenant(tenant).withPlugin(orAway) })
    const db = test.database.system().withPlugin(orAway)
    const own = createNode('node-c', { db, contextOf: unreliable })
    everyTenSeconds = []
    own.start()
    const events = own.add(device, fakeLink(), '192.0.2.1')
    await expect.poll(() => own.find(device.uid)).toBeDefined()
    isAway = true
    events.closed(gone)
    await own.close()
    expect(await isOnline()).toBe(true)
    isAway = false
    for (const flush of everyTenSeconds) flush()
    await own.close()
    expect(await isOnline()).toBe(false)
  })

  it('reviews host keys that another process has accepted, without an event', async () => {
    const key = Buffer.from('00000003616263', 'hex')
    const line = `abc ${key.toString('base64')}`
    await test.database
      .forTenant(tenant)
      .updateTable('devices')
      .set({ ssh_host_key: line })
      .where('uid', '=', device.uid)
      .execute()
    const required: Buffer[] = []
    const users = { hasLogins: true, requireHostKey: (hostKey: Uint8Array) => required.push(Buffer.from(hostKey)) }
    const events = agents.add(device, fakeLink(), '192.0.2.1', users)
    for (const flush of everyTenSeconds) flush()
    await expect.poll(() => required).toEqual([key])
    events.closed(gone)
    for (const flush of everyTenSeconds) flush()
    await agents.close()
    expect(required).toHaveLength(1)
  })

  it('tells other nodes of a link its epoch and namespace', async () => {
    const link = fakeLink()
    agents.add(device, link, '192.0.2.1')
    await expect.poll(() => agents.held(device.uid)).toMatchObject({ link, epoch: 1, device: { tenant } })
  })

  it('closes every link and finds none when other nodes have taken its devices over', async () => {
    const link = fakeLink()
    agents.add(device, link, '192.0.2.1')
    await expect.poll(() => agents.find(device.uid)).toBe(link)
    agents.fence()
    expect(agents.find(device.uid)).toBeUndefined()
    expect(link.causes.map(({ reason }) => reason)).toEqual(['node-lost'])
  })
})
