// State of containers when their engine or their connector changes: with a real engine (podman), and with hostile ones.
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { operations } from '@bowline/contract/operations'
import { answered, endless, startHostileEngine } from '@bowline/engine/testing/hostile-engine'
import { type ContainerEngine, containerEngineMissing, startContainerEngine } from '@bowline/testkit/container-engine'
import { until } from '@bowline/testkit/until'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type BootedServer, type Person, bootServer } from '../testing/boot.ts'
import { type EngineWorld, LOOPBACK_ALLOWED, engineWorld } from './testing.ts'

const { connectors, sessions } = operations
const missing = containerEngineMissing()
let server: BootedServer
beforeAll(async () => {
  server = await bootServer({ settings: LOOPBACK_ALLOWED })
})
afterAll(() => server.close())
let count = 0
const newcomer = () => server.addPerson(`person${(count += 1)}`)

describe.skipIf(missing !== undefined)('a session whose container, engine or connector goes', () => {
  let engine: ContainerEngine
  beforeAll(async () => {
    engine = await startContainerEngine()
    await engine.run('web')
  })
  afterAll(() => engine?.close())

  /** A session that runs, in a namespace of its own. */
  async function running(): Promise<{ world: EngineWorld; end: () => Promise<{ code: number; said: string }> }> {
    const world = await engineWorld(server, await newcomer(), engine)
    onTestFinished(() => world.close())
    await world.accept('web')
    const child = world.startSsh(`ada@${world.person.namespace}.web`, ['echo ready; exec sleep 1000000'])
    let said = ''
    child.stderr?.on('data', (bytes: Buffer) => (said += bytes.toString()))
    const closed = once(child, 'close')
    await once(child.stdout ?? child, 'data')
    const end = async () => ({ code: ((await closed) as [number])[0], said })
    return { world, end }
  }
  const causeOf = async ({ person }: EngineWorld) => {
    const session = await until(async () => {
      const [found] = (await person.client.call(sessions.list, {})).body
      return found?.active ? undefined : found
    })
    return session.closed
  }

  it('ends the session when its connector is switched off, and again offers the container when it is back', async () => {
    const { world, end } = await running()
    const params = { uid: world.connector }
    await world.person.client.call(connectors.update, { params, body: { enable: false } })
    const { code, said } = await end()
    expect(code).toBe(255)
    expect(said).toContain('Its connector was switched off.')
    expect(await causeOf(world)).toMatchObject({ by: 'admin', reason: 'connector-disabled' })
    expect((await world.containers()).get('web')).toMatchObject({ online: false, status: 'accepted' })
    await world.person.client.call(connectors.update, { params, body: { enable: true } })
    await until(async () => (await world.containers()).get('web')?.online)
  })

  it('ends the session when its connector is removed, and keeps the device', async () => {
    const { world, end } = await running()
    await world.person.client.call(connectors.remove, { params: { uid: world.connector } })
    expect((await end()).said).toContain('Its connector was removed.')
    expect(await causeOf(world)).toMatchObject({ by: 'admin', reason: 'connector-removed' })
    expect((await world.containers()).get('web')).toMatchObject({ online: false, status: 'accepted' })
  })

  it('ends the session when its container stops', async () => {
    const { world, end } = await running()
    await engine.podman('stop', '-t', '0', 'web')
    expect((await end()).code).not.toBe(0)
    await until(async () => (await world.containers()).get('web')?.online === false)
    await engine.podman('start', 'web')
    await until(async () => (await world.containers()).get('web')?.online)
    expect((await world.ssh(`ada@${world.person.namespace}.web`, ['exit 3'])).code).toBe(3)
  })

  it('takes containers offline when the engine goes, says why, and finds them again', async () => {
    const { world } = await running()
    const status = async () =>
      (await world.person.client.call(connectors.get, { params: { uid: world.connector } })).body.status
    await engine.stop()
    await until(async () => (await world.containers()).get('web')?.online === false)
    expect(await status()).toMatchObject({ state: 'disconnected', message: expect.stringContaining('refuses') })
    await engine.start()
    await until(async () => (await world.containers()).get('web')?.online)
    expect((await status()).state).toBe('connected')
  })
})

describe('an engine that means harm', () => {
  const idOf = (digit: number): string => digit.toString(16).padStart(8, '0').padEnd(64, 'd')
  const listOf = (ids: readonly string[]): string =>
    JSON.stringify(ids.map((Id) => ({ Id, Names: [`/n-${Id.slice(0, 8)}`], Image: 'x', State: 'running' })))

  /** An engine that lists the given containers and never ends its events. */
  async function lying(answers: {
    list: () => string
    inspect?: (socket: Socket) => void
    events?: (socket: Socket) => void
  }) {
    const engine = await startHostileEngine((line, socket) => {
      if (line.includes('/version')) return socket.end(answered('200 OK', '{"Version":"1","Arch":"amd64"}'))
      if (line.includes('/containers/json')) return socket.end(answered('200 OK', answers.list()))
      if (line.includes('/events')) {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        return answers.events?.(socket)
      }
      if (answers.inspect) return answers.inspect(socket)
      socket.end(answered('500 Wrong', '{}'))
    })
    onTestFinished(() => engine.close())
    const person = await newcomer()
    const body = { enable: true, address: '127.0.0.1', port: engine.port, secure: false }
    await person.client.call(connectors.create, { body })
    return { engine, person }
  }
  const only = async (person: Person) => {
    const [connector] = (await person.client.call(connectors.list, {})).body
    if (!connector) throw new Error('there is no connector')
    return connector
  }
  const containersOf = async (person: Person) =>
    (await person.client.call(operations.containers.list, { query: { status: '' } })).total

  it('takes no more than a thousand containers, and says so', async () => {
    const ids = Array.from({ length: 1_003 }, (_, index) => idOf(index))
    const { person } = await lying({ list: () => listOf(ids) })
    await until(async () => (await only(person)).status.state === 'connected', {
      timeout: 120_000,
      // Each look costs the server that registers them.
      interval: 250,
    })
    expect((await only(person)).status.message).toContain('3 running containers are left out')
    expect(await containersOf(person)).toBe(1_000)
  }, 150_000)

  it('keeps a container that a list leaves out until the engine says that it is gone', async () => {
    let list = listOf([idOf(1)])
    const events: Socket[] = []
    let gone = false
    const inspect = (socket: Socket) => void socket.end(gone ? answered('404 Gone', '{}') : answered('500 Wrong', '{}'))
    const { person } = await lying({ list: () => list, inspect, events: (socket) => events.push(socket) })
    const isOnline = async () =>
      (await person.client.call(operations.containers.list, { query: { status: '' } })).body[0]?.online
    await until(isOnline)
    list = '[]'
    const before = events.length
    // A new connection compares the whole list.
    events.at(-1)?.destroy()
    await until(() => events.length > before)
    await until(async () => (await only(person)).status.state === 'connected')
    expect(await isOnline()).toBe(true)
    gone = true
    events.at(-1)?.write(`${JSON.stringify({ Type: 'container', Action: 'die', Actor: { ID: idOf(1) } })}\n`)
    await until(async () => (await isOnline()) === false)
    expect(await containersOf(person)).toBe(1)
  })

  it('survives a flood of events without end', async () => {
    const event = Buffer.from(
      `${JSON.stringify({ Type: 'container', Action: 'die', Actor: { ID: idOf(9) } })}\n`.repeat(500),
    )
    const { person, engine } = await lying({
      list: () => listOf([idOf(2)]),
      events: (socket) => void endless(socket, event),
    })
    await until(async () => (await only(person)).status.state === 'connected')
    await until(() => engine.requests.length > 6)
    expect(await containersOf(person)).toBe(1)
  })

  it('waits longer between dials of an engine that fails', async () => {
    const { person, engine } = await lying({ list: () => 'nonsense' })
    expect((await only(person)).status).toMatchObject({
      state: 'disconnected',
      message: 'an answer of the engine is not JSON.',
    })
    await until(() => engine.requests.filter((line) => line.includes('/version')).length > 1)
    expect(engine.requests.length).toBeLessThan(10)
  })

  it('never dials an address that stops being allowed', async () => {
    const { person, engine } = await lying({ list: () => '[]' })
    const { uid } = await only(person)
    const { client } = person
    await client.call(connectors.update, { params: { uid }, body: { enable: false } })
    const before = engine.requests.length
    await server.database
      .forTenant(person.tenant)
      .updateTable('connectors')
      .set({ address: '127.0.0.2', enable: true })
      .execute()
    await until(async () => (await only(person)).status.message.includes('127.0.0.2 is not allowed'))
    expect(engine.requests.length).toBe(before)
  })
})
