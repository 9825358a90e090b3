// A key of the other mode, or of another account of the provider, ends no subscription.
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { bootServer, databaseUrl } from '../testing/boot.ts'
import { commandLine } from '../cli/testing.ts'
import { LIVE_KEY, startProvider } from './testing/provider-double.ts'
import { type Payer, type PayingWorld, payingWorld, standingOf } from './testing/payers.ts'

let world: PayingWorld
let payer: Payer
beforeAll(async () => {
  world = await payingWorld()
  payer = await world.subscriber()
})
afterAll(() => world.close())

let other: Readonly<Record<string, string>> = {}
const environment = () => ({
  ...world.provider.settings,
  BOWLINE_DATABASE_URL: databaseUrl(world.server.owner),
  BOWLINE_SECRET_KEY: world.server.secretKey,
  ...other,
})
const { json, refusal } = commandLine(() => environment())
const REFUSED =
  'BOWLINE_STRIPE_SECRET_KEY is a key of live mode, but the customer of 1 namespace is of test mode: set the key that was set before.'

it('of the other mode keeps a server from starting, and a reconciliation from running', async () => {
  other = { BOWLINE_STRIPE_SECRET_KEY: LIVE_KEY }
  const starting = bootServer({
    clock: world.clock,
    settings: { ...environment() },
    reach: () => Promise.resolve(databaseUrl(world.server.owner)),
  })
  await expect(starting).rejects.toThrow(REFUSED)
  expect(await refusal('billing reconcile')).toEqual([2, `bowline: ${REFUSED}`])
  expect(await standingOf(payer)).toMatchObject({ status: 'active', limit: -1 })
})

it('of the other mode ends nothing either where the mode of customers is not known yet', async () => {
  const setMode = (live: boolean | null) =>
    world.server.database.system().updateTable('billing_accounts').set({ live }).execute()
  await setMode(null)
  other = { BOWLINE_STRIPE_SECRET_KEY: LIVE_KEY }
  const message = expect.stringContaining('the key is one of another account, or of the other mode')
  expect(await json('billing reconcile')).toMatchObject({ differences: [], failures: [{ message }] })
  expect(await standingOf(payer)).toMatchObject({ status: 'active', limit: -1 })
  other = {}
  expect(await json('billing reconcile')).toMatchObject({ differences: [], failures: [] })
  other = { BOWLINE_STRIPE_SECRET_KEY: LIVE_KEY }
  expect(await refusal('billing reconcile')).toEqual([2, `bowline: ${REFUSED}`])
})

it('of another account ends nothing', async () => {
  const account = await startProvider(() => world.clock.now())
  onTestFinished(() => account.close())
  other = account.settings
  const { tenant } = payer
  expect(await json('billing reconcile')).toMatchObject({ differences: [], failures: [{ tenant_id: tenant }] })
  expect(await standingOf(payer)).toMatchObject({ status: 'active', limit: -1 })
})

it('that is right takes the subscription of a customer that was deleted for ended', async () => {
  other = {}
  for (const customer of world.provider.state.customers.values()) customer.deleted = true
  expect(await json('billing reconcile')).toMatchObject({ failures: [], differences: expect.any(Array) })
  expect(await standingOf(payer)).toMatchObject({ status: 'inactive', limit: 3, active: false })
})
