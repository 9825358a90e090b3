// What a node lets others do with the devices whose links it holds. The other node is made by hand.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as open } from 'node:net'
import { connect } from 'node:tls'
import { systemClock } from '@bowline/base/clock'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import {
  HANDING_OVER,
  type Link,
  type LinkCause,
  type LinkMessage,
  type StreamHandler,
  type StreamKind,
} from '@bowline/link/api'
import { linkServers } from '@bowline/link/between-servers'
import { freePort } from '@bowline/testkit/free-port'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { NodeState } from '../../nodes/lease.ts'
import { putNode } from '../../nodes/store.ts'
import { silentLog } from '../../platform/log.ts'
import { type TlsMaterial, makeCertificate, publicKeyPin } from '../../platform/network/certificate.ts'
import { type BootedServer, type Person, bootServer } from '../../testing/boot.ts'
import { type FakeDevice, fakeDevice } from '../../testing/gateway.ts'
import { createReverseStreams } from '../links/reverse-streams.ts'
import { askForLease } from './lease-question.ts'
import { dialNode } from '../../nodes/node-tls.ts'
import { type Peers, type PeersDeps, createPeers } from './peers.ts'

let server: BootedServer
let person: Person
let address: string
let folder: string
let device: FakeDevice
let epoch: number
beforeAll(async () => {
  address = `127.0.0.1:${await freePort()}`
  folder = await mkdtemp(join(tmpdir(), 'bowline-recordings-'))
  server = await bootServer({
    settings: {
      BOWLINE_NODE_ADDRESS: address,
      BOWLINE_RECORDINGS_DIR: folder,
      BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8',
    },
  })
  person = await server.setUpAccount()
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})
beforeEach(async () => {
  const first = await fakeDevice(server, person)
  // Its second link: there is an older one.
  device = await fakeDevice(server, person, undefined, first.device)
  // The device is online by the first one already.
  await first.ended
  epoch = await newestEpoch()
})

async function newestEpoch(): Promise<number> {
  const row = server.database.system().selectFrom('devices').select('link_epoch')
  return (await row.where('uid', '=', uid()).executeTakeFirstOrThrow()).link_epoch
}

const uid = (): DeviceUid => device.device.uid
const pinOfServer = async (): Promise<string> =>
  (
    await server.database
      .system()
      .selectFrom('nodes')
      .select('key_pin')
      .where('address', '=', address)
      .executeTakeFirstOrThrow()
  ).key_pin

/** A node that is in the database, with its key. Its id is the smallest: it is the one that dials. */
async function enteredNode(id = '0', isLost = false): Promise<TlsMaterial> {
  const tls = await makeCertificate(['node'])
  const run = { id, life: randomUUID(), address: '127.0.0.1:1', keyPin: publicKeyPin(tls.cert), version: 'v1' }
  // In one step: a heartbeat in between would find a lost one alive.
  await server.database
    .system()
    .transaction()
    .execute(async (db) => {
      await putNode(db, run)
      if (isLost) await db.updateTable('nodes').set({ lost_at: new Date() }).where('id', '=', id).execute()
    })
  return tls
}

async function peerLink(): Promise<Link> {
  const socket = await dialNode(address, await pinOfServer(), await enteredNode(), systemClock)
  const link = linkServers({
    socket,
    end: 'dialled',
    clock: systemClock,
    handler: { open: () => ({ by: 'gateway', reason: 'refused', message: '' }), closed: () => undefined },
    report: () => undefined,
  })
  onTestFinished(() => link.close({ by: 'gateway', reason: 'done', message: '' }))
  return link
}

interface Header {
  tenant?: TenantId
  epoch?: number
  device?: DeviceUid
}

/** Opens a stream on the device. @returns its id, and the end of it */
function opened(link: Link, kind: StreamKind, header: LinkMessage, own: Header = {}) {
  const { promise: ended, resolve } = Promise.withResolvers<LinkCause>()
  const said: LinkMessage[] = []
  const envelope = { tenant: person.tenant, device: uid(), epoch, header, ...own }
  const stream = link.open(kind, envelope, {
    data: () => undefined,
    control: (message) => void said.push(message),
    closed: resolve,
  })
  return { stream, ended, said }
}

/** The links of a node that no test has started yet, in time that stands still. */
function peersOf(tls: TlsMaterial, rest: Partial<PeersDeps> = {}): Peers {
  return createPeers({
    id: 'z',
    tls,
    host: '127.0.0.1',
    port: 0,
    nodes: () => [],
    refreshNodes: () => Promise.resolve(),
    steadyMs: () => 0,
    agents: { held: () => undefined, heldBefore: () => undefined },
    reverse: createReverseStreams(),
    acceptTerminal: () => ({ by: 'gateway', reason: 'refused', message: '' }),
    openFile: () => Promise.reject(new Error('there are no files')),
    clock: new ManualClock(),
    log: silentLog,
    ...rest,
  })
}

const AUTH = { session: 'a'.repeat(64), user: 'root', remote: '192.0.2.1' }
const NODE_TLS = { ALPNProtocols: ['bowline-node/1'], rejectUnauthorized: false }
const SESSION = { run: { type: 'shell' }, env: [], client: { address: '192.0.2.1', port: 1 } }

describe('streams of another node', () => {
  it('continue on the link of the device, with its ids', async () => {
    const link = await peerLink()
    const auth = opened(link, 'auth', AUTH)
    auth.stream.control({ message: { method: 'password', password: 'right' } })
    await until(() => auth.said.length === 1)
    expect(auth.said).toEqual([{ message: { type: 'accepted' } }])
    const session = opened(link, 'session', { ...SESSION, login: auth.stream.id })
    await until(() => session.said.length === 1)
    const [first, second] = device.asked
    expect(first).toEqual({ kind: 'auth', header: AUTH })
    expect(second?.header).toMatchObject(SESSION)
    expect(second?.header['login']).toSatisfy(Number.isInteger)
  })

  it('continue on a link that the device has handed over, beside those on the newer one', async () => {
    const link = await peerLink()
    const auth = opened(link, 'auth', AUTH)
    auth.stream.control({ message: { method: 'password', password: 'right' } })
    await until(() => auth.said.length === 1)
    const older = device
    await server.database
      .system()
      .insertInto('agent_states')
      .values({
        device_uid: uid(),
        tenant_id: person.tenant,
        release: 1,
        since: new Date(),
        reported_at: new Date(),
        handover_until: new Date(Date.now() + 60_000),
      })
      .execute()
    older.link.goaway({ by: 'agent', reason: HANDING_OVER, message: 'a newer version takes over' })
    const newer = await fakeDevice(server, person, undefined, device.device)
    await until(async () => (await newestEpoch()) === epoch + 1)
    const session = opened(link, 'session', { ...SESSION, login: auth.stream.id })
    await until(() => session.said.length === 1)
    expect(older.asked.map(({ kind }) => kind)).toEqual(['auth', 'session'])
    opened(link, 'auth', AUTH, { epoch: epoch + 1 })
    await until(() => newer.asked.length === 1)
    expect(newer.asked.map(({ kind }) => kind)).toEqual(['auth'])
  })

  it.each([
    ['an older link of the device', (): Header => ({ epoch: epoch - 1 }), 'stale-epoch'],
    ['a newer link of the device than it holds', (): Header => ({ epoch: epoch + 1 }), 'stale-epoch'],
    ['a device in the name of another namespace', () => ({ tenant: randomUUID() as TenantId }), 'refused'],
    ['a device that is not here', () => ({ device: 'b'.repeat(64) as DeviceUid }), 'not-held'],
    ['a device without an epoch', () => ({ epoch: 0 }), 'protocol'],
  ])('are refused for %s, and reach no device', async (_, header, reason) => {
    const { ended } = opened(await peerLink(), 'auth', AUTH, header())
    expect(await ended).toMatchObject({ by: 'gateway', reason })
    expect(device.asked).toEqual([])
  })

  it('are refused when they refer to a login that the node has not opened itself, on this device', async () => {
    const link = await peerLink()
    const other = device
    const elsewhere = opened(link, 'auth', AUTH)
    await until(() => other.asked.length === 1)
    device = await fakeDevice(server, person)
    epoch = 1
    for (const login of [elsewhere.stream.id, 0, 2, 4_294_967_295]) {
      expect(await opened(link, 'session', { ...SESSION, login }).ended).toMatchObject({ reason: 'refused' })
    }
    expect(device.asked).toEqual([])
  })

  it('end with the link between the nodes, and leave the device nothing', async () => {
    const link = await peerLink()
    opened(link, 'auth', AUTH)
    await until(() => device.asked.length === 1)
    link.close({ by: 'gateway', reason: 'done', message: '' })
    await until(() => device.link.streamCount === 0)
    expect(device.link.streamCount).toBe(0)
  })
})

describe('a node that cannot renew its lease', () => {
  it('is told for how long this one has renewed its own', async () => {
    const link = await peerLink()
    const answers = await Promise.all([askForLease(link, systemClock), askForLease(undefined, systemClock)])
    expect(answers).toEqual([{ steadyMs: expect.any(Number) }, 'unreachable'])
    expect(answers[0]).not.toEqual({ steadyMs: 0 })
  })

  it('does not know about nodes that refuse the question or have gone', async () => {
    const link = await peerLink()
    // Nodes of earlier versions answer so.
    const refused = {
      ...link,
      open: (_: StreamKind, header: LinkMessage, handler: StreamHandler) => link.open('dial', header, handler),
    }
    expect(await askForLease(refused as Link, systemClock)).toBe('unknown')
    link.close({ by: 'gateway', reason: 'done', message: '' })
    expect(await askForLease(link, systemClock)).toBe('unreachable')
  })
})

describe('connections of other nodes', () => {
  it.each([
    ['a key that no node has', () => makeCertificate(['node'])],
    ['the key of a node that is lost', () => enteredNode('1', true)],
    ['the key of a node that is not the one to dial', () => enteredNode('~')],
  ])('are dropped with %s before anything is read', async (_, makeKey) => {
    const socket = await dialNode(address, await pinOfServer(), await makeKey(), systemClock)
    let received = 0
    socket.on('data', (chunk: Buffer) => (received += chunk.length)).on('error', () => undefined)
    if (!socket.closed) await once(socket, 'close')
    expect(received).toBe(0)
  })

  it('with unknown keys do not each read the nodes from the database anew', async () => {
    const [own, stranger] = [await makeCertificate(['node']), await makeCertificate(['node'])]
    let reads = 0
    const peers = peersOf(own, { refreshNodes: async () => void (reads += 1) })
    await peers.start()
    onTestFinished(() => peers.close())
    for (let connection = 0; connection < 40; connection += 1) {
      const socket = await dialNode(`127.0.0.1:${peers.port}`, publicKeyPin(own.cert), stranger, systemClock)
      socket.on('error', () => undefined).resume()
      if (!socket.closed) await once(socket, 'close')
    }
    expect(reads).toBe(10)
  })

  it.each([
    ['without a key', {}],
    ['with an older TLS', { maxVersion: 'TLSv1.2' as const }],
    ['with another protocol', { ALPNProtocols: ['http/1.1'] }],
  ])('are dropped %s', async (_, options) => {
    const [host = '', port] = address.split(':')
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false, ...options })
    socket.on('error', () => undefined).resume()
    await new Promise((resolve) => socket.once('close', resolve))
    expect(socket.closed).toBe(true)
  })

  it('are let in from one address however many idle ones another has', async () => {
    const own = await makeCertificate(['node'])
    const peers = peersOf(own)
    await peers.start()
    onTestFinished(() => peers.close())
    const idle = Array.from({ length: 60 }, () => {
      const socket = open({ host: '127.0.0.1', port: peers.port })
      onTestFinished(() => void socket.destroy())
      return socket.on('error', () => undefined).resume()
    })
    await until(() => idle.filter((socket) => socket.closed).length === 60 - 32)
    const socket = open({ host: '127.0.0.1', port: peers.port, localAddress: '127.0.0.2' })
    const other = connect({ socket, ...own, ...NODE_TLS })
    onTestFinished(() => void other.destroy())
    other.on('error', () => undefined)
    await once(other, 'secureConnect')
    expect(other.alpnProtocol).toBe('bowline-node/1')
  })

  it('are missed when they have not stood for some seconds', async () => {
    const [own, tls] = [await makeCertificate(['node']), await makeCertificate(['node'])]
    const clock = new ManualClock()
    const node = { id: 'a', address: '127.0.0.1:1', keyPin: publicKeyPin(tls.cert) } as NodeState
    const peers = peersOf(own, { clock, nodes: () => [node] })
    await peers.start()
    onTestFinished(() => peers.close())
    peers.follow()
    clock.advance(9_000)
    expect(peers.unlinked).toEqual([])
    clock.advance(2_000)
    expect(peers.unlinked).toEqual(['a'])
    // The one with the smaller id dials.
    const socket = await dialNode(`127.0.0.1:${peers.port}`, publicKeyPin(own.cert), tls, systemClock)
    onTestFinished(() => void socket.destroy())
    socket.on('error', () => undefined).resume()
    await until(() => peers.linkCount === 1)
    expect(peers.unlinked).toEqual([])
  })

  it('are not made to a node with another key than its row has', async () => {
    const wrong = publicKeyPin((await makeCertificate(['node'])).cert)
    await expect(dialNode(address, wrong, await enteredNode(), systemClock)).rejects.toThrow('another key')
  })
})
