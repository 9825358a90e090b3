// Receivers that misbehave, and what other streams and later changes get to notice of it.
import { type Server, type ServerResponse, createServer } from 'node:http'
import { systemClock } from '@bowline/base/clock'
import { listeningPort } from '@bowline/base/testing/listening-port'
import type { TenantId } from '@bowline/contract/schemas/common'
import { until } from '@bowline/testkit/until'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { type Receiver, startReceiver } from '../alerts/testing.ts'
import type { StreamSender } from './sending.ts'
import { update } from './service.ts'
import { type StreamWorld, streamWorld } from './testing.ts'

/** More streams than a process sends at once of slow ones, two in each namespace. */
const SLOW_NAMESPACES = 11

let world: StreamWorld
let tenant: TenantId
const others: TenantId[] = []
let receiver: Receiver
let node: StreamSender
/** A receiver that answers when the test says so. */
let late: Server
let lateUrl = ''
let held: ServerResponse[] = []

beforeAll(async () => {
  world = await streamWorld()
  tenant = await world.addNamespace()
  for (let count = 0; count < SLOW_NAMESPACES; count += 1) others.push(await world.addNamespace())
  receiver = await startReceiver()
  late = createServer((request, response) => {
    request.resume().on('end', () => held.push(response))
  })
  await new Promise<void>((resolve) => late.listen(0, '127.0.0.1', resolve))
  lateUrl = `http://127.0.0.1:${listeningPort(late)}/`
})
afterAll(async () => {
  late.closeAllConnections()
  late.close()
  await world.close()
  await receiver.close()
})
beforeEach(() => {
  receiver.messages.length = 0
  held = []
})
afterEach(async () => {
  late.closeAllConnections()
  await node.stop()
  await world.system.deleteFrom('audit_streams').execute()
})

const targets = () =>
  receiver.messages.flatMap(({ body }) =>
    body
      .trim()
      .split('\n')
      .map((line): string => JSON.parse(line).target),
  )
/** Wakes the node until it is so. */
const woken = (isSo: () => boolean) =>
  until(() => {
    node.wake()
    return isSo()
  })
const isOpen = ({ closed }: ServerResponse) => !closed

it('delivers while the receivers of many other namespaces hang', async () => {
  node = world.startNode()
  for (const other of others) {
    for (const failing_since of [new Date(), new Date()]) await world.addStream(other, { url: lateUrl, failing_since })
    await world.write(other, 'hangs')
  }
  await world.addStream(tenant, { url: receiver.url })
  await woken(() => held.length >= 10)
  await world.write(tenant, 'in time')
  await woken(() => targets().includes('in time'))
  expect(held.filter(isOpen)).toHaveLength(held.length)
})

it('delivers while the receivers of many other namespaces take their time for some requests', async () => {
  let time = 0
  node = world.startNode({ clock: { ...systemClock, monotonic: () => time } })
  await world.addStream(tenant, { url: receiver.url })
  for (const other of others) for (const url of [lateUrl, lateUrl]) await world.addStream(other, { url })
  /** Each of the streams has sent one request, which took so long. */
  const round = async (ms: number) => {
    for (const other of others) await world.write(other, 'slow')
    for (let answered = 0; answered < others.length * 2;) {
      await woken(() => held.length > 0)
      time += ms
      const responses = held.splice(0)
      for (const response of responses) response.end()
      answered += responses.length
    }
    await until(async () => {
      const { rows } = await sql`select from audit_streams where leased_until > now()`.execute(world.system)
      return rows.length === 0
    })
  }
  await round(5_000)
  await round(0)
  for (const other of others) await world.write(other, 'hangs')
  await woken(() => held.length >= 10)
  // As many of them as get places.
  for (let pass = 0; pass < 3; pass += 1) {
    node.wake()
    await node.settled()
  }
  await world.write(tenant, 'in time')
  await woken(() => targets().includes('in time'))
  expect(held.filter(isOpen)).toHaveLength(held.length)
})

it('goes on at once with an address that is set while the former one hangs', async () => {
  node = world.startNode()
  const id = await world.addStream(tenant, { url: lateUrl })
  await world.write(tenant, 'one')
  await woken(() => held.length === 1)
  await update(world.deps, world.contextOf(tenant), id, { url: `${receiver.url}/new`, authorization: null })
  late.closeAllConnections()
  await woken(() => targets().includes('one'))
  expect(await world.find(id)).toMatchObject({ failing_since: null, attempts: expect.any(Number) })
})

it('is not said to be paused by the server when a member pauses it while its receiver hangs', async () => {
  node = world.startNode()
  const id = await world.addStream(tenant, { url: lateUrl, failing_since: new Date(Date.now() - 25 * 3_600_000) })
  await world.write(tenant, 'one')
  await woken(() => held.length === 1)
  await update(world.deps, world.contextOf(tenant), id, { active: false })
  late.closeAllConnections()
  await until(async () => (await world.find(id)).answer !== '')
  await node.stop()
  expect(await world.find(id)).toMatchObject({ active: false, disabled_reason: null })
  const entries = await world.system.selectFrom('audit_log').select('action').execute()
  expect(entries.map(({ action }) => action)).not.toContain('audit-stream.disable')
})

it('sends smaller requests to a receiver that takes no large ones, and loses nothing', async () => {
  const refused: number[] = []
  const small = createServer((request, response) => {
    const lines: string[] = []
    request.on('data', (chunk: Buffer) => lines.push(chunk.toString()))
    request.on('end', () => {
      const entries = lines.join('').trim().split('\n')
      if (entries.length > 3) refused.push(entries.length)
      else taken.push(...entries.map((line): string => JSON.parse(line).target))
      response.writeHead(entries.length > 3 ? 413 : 200).end()
    })
  })
  const taken: string[] = []
  await new Promise<void>((resolve) => small.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void small.close())
  node = world.startNode()
  await world.addStream(tenant, { url: `http://127.0.0.1:${listeningPort(small)}/` })
  const sent = Array.from({ length: 20 }, (_, index) => `unit-${index}`)
  for (const target of sent) await world.write(tenant, target)
  await woken(() => taken.length >= sent.length)
  expect(taken).toEqual(sent)
  expect(refused.at(0)).toBe(20)
})
