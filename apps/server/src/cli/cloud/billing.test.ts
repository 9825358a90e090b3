// Billing from the command line, beside a running server.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { type PayingWorld, payingWorld, standingOf, untilStatus } from '../../billing/testing/payers.ts'
import { databaseUrl } from '../../testing/boot.ts'
import { commandLine } from '../testing.ts'

let world: PayingWorld
beforeAll(async () => {
  world = await payingWorld()
})
afterAll(() => world.close())

const { bowline, json, refusal, run } = commandLine(() => environment())
const environment = () => ({
  ...world.provider.settings,
  BOWLINE_DATABASE_URL: databaseUrl(world.server.owner),
  BOWLINE_SECRET_KEY: world.server.secretKey,
})

it('reconciles a subscription whose events were lost, and shows what differed', async () => {
  const payer = await world.subscriber()
  const { id } = world.subscriptionOf(payer)
  world.provider.state.change(id, { status: 'unpaid' })
  const difference = { namespace_id: payer.tenant, field: 'status', ours: 'active', theirs: 'unpaid' }
  expect(await json('billing reconcile')).toMatchObject({ accounts: 1, differences: [difference], failures: [] })
  expect(await standingOf(payer)).toMatchObject({ status: 'unpaid', limit: 3 })
  expect(await json('billing reconcile')).toMatchObject({ accounts: 1, differences: [] })
  expect(await json('billing status')).toMatchObject({
    provider: 'stripe',
    waiting: { events: 0, endings: 0, failing: 0 },
    differences: [difference],
  })
  const text = await bowline('billing status')
  expect(text).toContain('Events to apply: 0')
  expect(text).toMatch(new RegExp(`${payer.tenant} +cus_\\d+ +status +active +unpaid`))
})

it('replays events, which brings a subscription up to date', async () => {
  const payer = await world.subscriber()
  const { id } = world.subscriptionOf(payer)
  expect(await world.deliver(world.provider.state.change(id, { status: 'past_due' }))).toBe(200)
  await untilStatus(payer, 'past_due')
  world.provider.state.change(id, { status: 'paused' })
  // The server's clock is days behind the command's.
  expect(await json('billing replay --hours 2160')).toEqual({ events: 1 })
  await world.server.database
    .system()
    .updateTable('billing_events')
    .set({ due_at: new Date(0) })
    .execute()
  world.clock.advance(30_000)
  await untilStatus(payer, 'paused')
})

it('refuses hours that are none and a server without a provider', async () => {
  expect(await refusal('billing replay --hours soon')).toEqual([
    2,
    'bowline: --hours must be a whole number from 1 to 2160.',
  ])
  const { BOWLINE_DATABASE_URL, BOWLINE_SECRET_KEY } = environment()
  const without = await run(['billing', 'reconcile'], '', { BOWLINE_DATABASE_URL, BOWLINE_SECRET_KEY })
  expect([without.status, without.errors]).toEqual([
    2,
    'bowline: This server has no payment provider: BOWLINE_STRIPE_SECRET_KEY is not set.',
  ])
})

it('fails with the reason when the provider is down', async () => {
  world.provider.condition = 'down'
  onTestFinished(() => void (world.provider.condition = 'up'))
  const [status, errors] = await refusal('billing reconcile')
  expect([status, errors]).toEqual([1, expect.stringContaining('it cannot be reached')])
})
