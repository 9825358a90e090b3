// The engine of a device, reached through the link of its agent: containers come, change and go, sessions run, and nothing
// is reached that the device does not offer.
import { connect } from 'node:net'
import { operations } from '@bowline/contract/operations'
import type { LinkCause, LinkStream, StreamHandler } from '@bowline/link/api'
import { type ContainerEngine, containerEngineMissing, startContainerEngine } from '@bowline/testkit/container-engine'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type BootedServer, type Person, type RegisteredDevice, bootServer, outcome } from '../testing/boot.ts'
import { type FakeDevice, fakeDevice } from '../testing/gateway.ts'
import { engineWorldOf } from './testing.ts'

const { connectors, devices } = operations
const missing = containerEngineMissing()
if (missing !== undefined && process.env['CI'] === 'true') throw new Error(missing)

let engine: ContainerEngine
let server: BootedServer
beforeAll(async () => {
  if (missing === undefined) {
    engine = await startContainerEngine()
    await engine.run('web')
  }
  // No address of an engine may be dialled.
  server = await bootServer({ settings: { BOWLINE_UNCOUNTED_SOURCES: '127.0.0.0/8' } })
  await server.setUpAccount()
})
afterAll(async () => {
  await server?.close()
  await engine?.close()
})

let people = 0
const newcomer = (): Promise<Person> => server.addPerson(`keeper${(people += 1)}`)
const REFUSED: LinkCause = { by: 'agent', reason: 'refused', message: 'the device does not offer its containers' }

/** Connects `engine` streams to the engine, as an agent does that offers it. */
function offering(stream: LinkStream): StreamHandler {
  const socket = connect({ host: engine.host, port: engine.port, allowHalfOpen: true })
  socket.on('connect', () => stream.control({ type: 'connected' }))
  socket.on('data', (bytes: Buffer) => {
    if (!stream.write(bytes)) socket.pause()
  })
  socket.on('end', () => stream.eof())
  socket.on('error', () => undefined)
  socket.on('close', () => stream.close())
  return {
    data(bytes) {
      socket.write(bytes, () => stream.consumed(bytes.length))
    },
    drain: () => socket.resume(),
    eof: () => socket.end(),
    closed: () => socket.resume().destroySoon(),
  }
}

function hostDevice(person: Person, known?: RegisteredDevice, offers = true): Promise<FakeDevice> {
  const behave = (kind: string, _: unknown, stream: LinkStream) =>
    kind === 'engine' && offers ? offering(stream) : REFUSED
  return fakeDevice(server, person, behave, known)
}

const create = (person: Person, body: object) =>
  person.client.call(connectors.create, { body: { enable: true, ...body } })
async function only(person: Person) {
  const [connector] = (await person.client.call(connectors.list, {})).body
  if (!connector) throw new Error('there is no connector')
  return connector
}

describe.skipIf(missing !== undefined)('an engine that a device offers', () => {
  /** A namespace with a device that offers its engine, and the container `web`. */
  async function offered() {
    const person = await newcomer()
    const host = await hostDevice(person)
    const world = await engineWorldOf(server, person, { device: host.device.uid })
    onTestFinished(() => world.close())
    await world.accept('web')
    return { person, host, world, isOnline: async () => (await world.containers()).get('web')?.online }
  }

  it('has a connected connector that names the device, and describes itself', async () => {
    const { person, host, world } = await offered()
    expect(await only(person)).toMatchObject({
      device: host.device.uid,
      device_name: host.device.name,
      address: '',
      port: 0,
      secure: false,
      status: { state: 'connected', message: '' },
    })
    const { body } = await person.client.call(connectors.info, { params: { uid: world.connector } })
    expect(body).toHaveProperty('ServerVersion')
  })

  it('runs sessions in its containers, with all of their bytes', async () => {
    const { person, world } = await offered()
    const login = `ada@${person.namespace}.web`
    expect((await world.ssh(login, ['exit 7'])).code).toBe(7)
    const input = Buffer.alloc(3_000_000, 'abcdefghi\n')
    const { stdout } = await world.ssh(login, ['cat; echo after'], input)
    expect(stdout.equals(Buffer.concat([input, Buffer.from('after\n')]))).toBe(true)
  })

  it('brings new containers and takes stopped ones offline', async () => {
    const { world, isOnline } = await offered()
    await engine.run('worker')
    await world.accept('worker')
    await engine.podman('rm', '-f', '-t', '0', 'worker')
    await until(async () => !(await world.containers()).get('worker')?.online)
    expect(await isOnline()).toBe(true)
  })

  it('goes with the link of the device, and is back as soon as the device is', async () => {
    const { person, host, world, isOnline } = await offered()
    host.link.close({ by: 'agent', reason: 'stopped', message: 'The agent has stopped.' })
    await until(async () => !(await isOnline()))
    expect((await only(person)).status.message).toMatch(/device is offline|link|connection/)
    await hostDevice(person, host.device)
    await until(isOnline)
    expect((await world.ssh(`ada@${person.namespace}.web`, ['exit 5'])).code).toBe(5)
  })

  it('goes when the device is accepted no more, and when it is removed', async () => {
    const { person, host, isOnline } = await offered()
    // As after a subscription that ends.
    const devicesOf = server.database.forTenant(person.tenant)
    await devicesOf.updateTable('devices').set({ status: 'pending' }).where('uid', '=', host.device.uid).execute()
    await until(async () => (await only(person)).status.message === 'The device is not accepted.')
    await until(async () => !(await isOnline()))
    await person.client.call(devices.remove, { params: { uid: host.device.uid } })
    expect((await person.client.call(connectors.list, {})).body).toEqual([])
  })
})

describe('a connector through a device', () => {
  it('says that the device does not offer its engine', async () => {
    const person = await newcomer()
    const { device } = await hostDevice(person, undefined, false)
    await create(person, { device: device.uid })
    expect((await only(person)).status.message).toContain('does not offer its containers')
  })

  it('says that the device is offline', async () => {
    const person = await newcomer()
    const device = await server.acceptedDevice(person)
    await create(person, { device: device.uid })
    expect((await only(person)).status.message).toBe('the device is offline.')
  })

  it('is refused for a device of another namespace, and beside an address', async () => {
    const [person, stranger] = await Promise.all([newcomer(), newcomer()])
    const foreign = await server.acceptedDevice(stranger)
    const own = await server.acceptedDevice(person)
    const fields = (body: object) => outcome(create(person, body))
    expect(await fields({ device: foreign.uid })).toBe('400 INVALID_INPUT device')
    expect(await fields({ device: own.uid, address: '192.0.2.1', port: 2_375, secure: false })).toBe(
      '400 INVALID_INPUT address',
    )
    expect(await fields({ device: own.uid, secure: true })).toBe('400 INVALID_INPUT secure')
    expect(await fields({ port: 2_375, secure: false })).toBe('400 INVALID_INPUT address')
    expect((await person.client.call(connectors.list, {})).body).toEqual([])
  })

  it('is changed to an address and back, without remains of either', async () => {
    const person = await newcomer()
    const device = await server.acceptedDevice(person)
    await create(person, { enable: false, device: device.uid })
    const { uid } = await only(person)
    const update = (body: object) => person.client.call(connectors.update, { params: { uid }, body })
    expect(await outcome(update({ device: null }))).toBe('400 INVALID_INPUT address')
    await update({ device: null, address: '192.0.3.9', port: 2_375, secure: false })
    expect(await only(person)).toMatchObject({ device: null, device_name: null, address: '192.0.3.9', port: 2_375 })
    await update({ device: device.uid })
    expect(await only(person)).toMatchObject({ device: device.uid, address: '', port: 0, tls: null })
    await update({ enable: false })
    expect((await only(person)).device).toBe(device.uid)
  })
})
