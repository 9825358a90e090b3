// A provider that is away stops nothing but billing, and nothing of a card or a key reaches the log.
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '@bowline/contract/operations'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createLog } from '../platform/log.ts'
import { outcome } from '../testing/boot.ts'
import { fakeDevice, signedIn } from '../testing/gateway.ts'
import { SECRET_KEY, type Condition } from './testing/provider-double.ts'
import { type PayingWorld, payWith, payingWorld, standingOf } from './testing/payers.ts'

const { billing, devices } = operations
let world: PayingWorld
let folder: string
let fd: number
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bowline-billing-'))
  fd = openSync(join(folder, 'log'), 'w')
  world = await payingWorld({ log: createLog('debug', fd) })
})
afterAll(async () => {
  await world.close()
  closeSync(fd)
  await rm(folder, { recursive: true })
})

function become(condition: Condition): void {
  world.provider.condition = condition
  onTestFinished(() => void (world.provider.condition = 'up'))
}

describe.each(['down', 'failing', 'losing'] as const)('a provider that is %s', (condition) => {
  it('fails calls of billing with 424 and nothing else', async () => {
    const payer = await world.subscriber()
    const other = await world.payer()
    const device = await fakeDevice(world.server, payer)
    become(condition)
    const { client } = payer
    const body = { id: world.provider.state.card() }
    const answers = await Promise.all([
      outcome(client.call(billing.getCustomer, {})),
      outcome(client.call(billing.getSubscription, {})),
      outcome(client.call(billing.attachPaymentMethod, { body })),
      outcome(client.call(billing.portal, {})),
      outcome(other.client.call(billing.createCustomer, {})),
    ])
    expect(answers).toEqual(answers.map(() => '424 DEPENDENCY_FAILED'))
    expect(await outcome(client.call(billing.createSubscription, {}))).toBe('424 DEPENDENCY_FAILED')
    expect(await standingOf(payer)).toMatchObject({ active: true, can_connect: true })
    const waiting = await world.server.registerDevice(payer.tenant)
    const params = { uid: waiting.uid, status: 'accept' } as const
    expect(await outcome(client.call(devices.setStatus, { params }))).toBe('200')
    await signedIn(world.server, device.login('root'))
  })
})

it('lets everything else go on while the provider takes its time', async () => {
  const payer = await world.subscriber()
  const device = await fakeDevice(world.server, payer)
  const release = world.provider.hold()
  onTestFinished(release)
  const asking = outcome(payer.client.call(billing.getCustomer, {}))
  await signedIn(world.server, device.login('root'))
  await world.accepted(payer, 1)
  expect(await standingOf(payer)).toMatchObject({ active: true })
  release()
  expect(await asking).toBe('200')
})

it('is not asked beyond its own limit by somebody who calls again and again', async () => {
  const [loud, other] = [await world.payer(), await world.payer()]
  await loud.client.call(billing.createCustomer, {})
  await other.client.call(billing.createCustomer, {})
  const before = world.provider.requests.length
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => outcome(loud.client.call(billing.getCustomer, {}))),
  )
  expect(new Set(answers)).toEqual(new Set(['200', '429 TOO_MANY_REQUESTS']))
  expect(world.provider.requests.length - before).toBeLessThanOrEqual(3 * 60)
  expect(await outcome(loud.client.call(billing.portal, {}))).toBe('429 TOO_MANY_REQUESTS')
  // Nothing else of the namespace waits, nor anybody else.
  expect((await standingOf(loud)).status).toBe('inactive')
  expect(await outcome(other.client.call(billing.getCustomer, {}))).toBe('200')
  world.clock.advance(10_000)
  expect(await outcome(loud.client.call(billing.getCustomer, {}))).toBe('200')
})

it('writes no card, key or secret into the log', async () => {
  const payer = await world.payer()
  await payWith(payer, world.provider.state.card('7391', 'payment'))
  expect(await outcome(payer.client.call(billing.createSubscription, {}))).toBe('402 CARD_REFUSED')
  const subscriber = await world.subscriber()
  await world.deliver(world.provider.state.change(world.subscriptionOf(subscriber).id, { status: 'past_due' }), {
    secret: 'whsec_another0123456',
  })
  become('failing')
  await world.accepted(subscriber, 1)
  world.clock.advance(60_000)
  const log = () => readFile(join(folder, 'log'), 'utf8')
  await expect.poll(log).toContain('billing.error')
  const text = await log()
  expect(text).toContain('/api/billing/subscription')
  for (const secret of [SECRET_KEY, 'whsec_', 'sk_test', 'visa', 'Bearer ']) expect(text).not.toContain(secret)
  // Ids have any four digits somewhere in them.
  expect(text).not.toMatch(/(?<![\w-])7391(?![\w-])/)
})
