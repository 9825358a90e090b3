// Free namespaces on two servers that share a database: whatever is asked of both at once, no more devices are accepted
// than are free, and people who subscribe twice pay once.
import { operations } from '@bowline/contract/operations'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { constantFrom, array, asyncProperty, assert, nat, record } from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BootedServer, type Client, bootServer, databaseUrl, outcome } from '../testing/boot.ts'
import { type Payer, type PayingWorld, payingWorld, standingOf } from './testing/payers.ts'

const { auth, billing, devices } = operations
const LIMIT = 3
const DEVICES = 6
/** `INTERLEAVINGS=500` takes three minutes. */
const RUNS = Number(process.env['INTERLEAVINGS'] ?? 12)
let world: PayingWorld
let two: BootedServer
beforeAll(async () => {
  world = await payingWorld()
  const { server: one, clock, provider } = world
  const settings = { ...provider.settings, BOWLINE_SECRET_KEY: one.secretKey }
  two = await bootServer({ clock, settings, reach: () => Promise.resolve(databaseUrl(one.owner)) })
})
afterAll(async () => {
  await two.close()
  await world.close()
})

/** The same owner at each of the servers. */
async function onBoth(payer: Payer): Promise<readonly [Client, Client]> {
  const { body } = await payer.client.call(auth.switchNamespace, { params: { tenant: payer.tenant } })
  return [payer.client, two.client(body.token)]
}

const Step = record({
  what: constantFrom('accept', 'accept', 'accept', 'remove', 'return', 'choose', 'pending'),
  /** Device. */
  which: nat(DEVICES - 1),
  /** Server. */
  at: nat(1),
})

it(
  'accepts no device beyond the limit, whatever is asked of two servers at once',
  { timeout: 30_000 + RUNS * 2_000 },
  async () => {
    await assert(
      asyncProperty(
        array(array(Step, { minLength: 2, maxLength: 8 }), { minLength: 1, maxLength: 4 }),
        async (rounds) => {
          // Registrations are limited by time.
          world.clock.advance(3_600_000)
          const payer = await world.payer()
          const clients = await onBoth(payer)
          const known = await Promise.all(
            Array.from({ length: DEVICES }, () => world.server.registerDevice(payer.tenant)),
          )
          const act = ({ what, which, at }: { what: string; which: number; at: number }): Promise<string> => {
            const client = clients[at === 0 ? 0 : 1]
            const device = known[which]
            const uid = device?.uid as DeviceUid
            switch (what) {
              case 'accept':
                return outcome(client.call(devices.setStatus, { params: { uid, status: 'accept' } }))
              case 'pending':
                return outcome(client.call(devices.setStatus, { params: { uid, status: 'pending' } }))
              case 'remove':
                return outcome(client.call(devices.remove, { params: { uid } }))
              case 'return':
                return device
                  ? outcome(client.call(auth.authenticateDevice, { body: device.body }))
                  : Promise.resolve('')
              default:
                return outcome(client.call(billing.chooseDevices, { body: { choices: [uid] } }))
            }
          }
          for (const steps of rounds) {
            const answers = await Promise.all(steps.map((step) => act(step)))
            // A server that fails is another matter than one that refuses.
            expect(answers.filter((answer) => answer.startsWith('5'))).toEqual([])
            const { devices: accepted, can_accept: mayAccept } = await standingOf(payer)
            const removed = await payer.client.call(devices.list, { query: { status: 'removed' } })
            expect(accepted).toBeLessThanOrEqual(LIMIT)
            expect(accepted + removed.total).toBeLessThanOrEqual(LIMIT)
            expect(mayAccept).toBe(accepted + removed.total < LIMIT)
          }
        },
      ),
      { numRuns: RUNS },
    )
  },
)

it('makes one customer and one subscription of calls at two servers at once', async () => {
  for (let round = 0; round < 4; round += 1) {
    const payer = await world.payer()
    const [one, other] = await onBoth(payer)
    const customers = await Promise.all([one, other].map((client) => outcome(client.call(billing.createCustomer, {}))))
    expect(customers.filter((answer) => answer === '200')).toHaveLength(1)
    const mine = [...world.provider.state.customers.values()].filter(
      ({ metadata }) => metadata['tenant_id'] === payer.tenant,
    )
    expect(mine).toHaveLength(1)
    const card = { id: world.provider.state.card() }
    await one.call(billing.attachPaymentMethod, { body: card })
    await one.call(billing.setDefaultPaymentMethod, { body: card })
    const calls = [one, other, one, other].map((client) => outcome(client.call(billing.createSubscription, {})))
    const outcomes = await Promise.all(calls)
    expect(outcomes.filter((answer) => answer === '200')).toHaveLength(1)
    expect(outcomes.filter((answer) => answer.startsWith('409 CONFLICT'))).toHaveLength(3)
    expect(world.provider.state.subscriptionsOf(payer.tenant)).toHaveLength(1)
  }
})
