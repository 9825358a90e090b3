// Namespaces of the cloud edition that pay, in a server that uses the provider's double.
import { randomUUID } from 'node:crypto'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import { operations } from '@bowline/contract/operations'
import type { BillingStanding } from '@bowline/contract/schemas/billing'
import { type DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import { until } from '@bowline/testkit/until'
import {
  type BootOptions,
  type BootedServer,
  type Client,
  type Person,
  bootServer,
  setStatus,
} from '../../testing/boot.ts'
import { type ProviderDouble, startProvider } from './provider-double.ts'
import type { DoubleEvent, DoubleSubscription } from './provider-objects.ts'

const { billing, namespaces, auth } = operations

/** An owner whose client acts in a namespace with the cloud's limit. */
export interface Payer extends Person {
  /** Signs in again: after a day tokens have expired. */
  again(): Promise<Payer>
}

export interface PayingWorld {
  readonly clock: ManualClock
  readonly provider: ProviderDouble
  readonly server: BootedServer
  payer(): Promise<Payer>
  /** A payer with a customer, a card and a subscription. */
  subscriber(): Promise<Payer>
  accepted(payer: Payer, count: number): Promise<DeviceUid[]>
  /** The only subscription of a payer that is not over. */
  subscriptionOf(payer: Payer): DoubleSubscription
  /** Sends an event to the server. @returns the answer's status */
  deliver(event: DoubleEvent, signed?: { at?: number; secret?: string }): Promise<number>
  close(): Promise<void>
}

export async function payingWorld(options: BootOptions = {}, price?: string): Promise<PayingWorld> {
  const clock = new ManualClock()
  const provider = await startProvider(() => clock.now(), price)
  const booted = await bootServer({ clock, ...options, settings: { ...provider.settings, ...options.settings } }).catch(
    async (error: unknown) => {
      await provider.close()
      throw error
    },
  )
  const world: PayingWorld = {
    clock,
    provider,
    server: booted,
    async payer() {
      const person = await booted.addPerson(`p${randomUUID().slice(0, 8)}`)
      const { body } = await person.client.call(namespaces.create, { body: { name: `n${randomUUID().slice(0, 8)}` } })
      return switched(booted, person, TenantId.parse(body.tenant_id), body.name)
    },
    async subscriber() {
      const payer = await world.payer()
      await payWith(payer, provider.state.card())
      await payer.client.call(billing.createSubscription, {})
      return payer
    },
    async accepted(payer, count) {
      const uids: DeviceUid[] = []
      for (let i = 0; i < count; i += 1) uids.push((await booted.acceptedDevice(payer)).uid)
      return uids
    },
    subscriptionOf({ tenant }) {
      const [one, ...more] = provider.state.subscriptionsOf(tenant).filter(({ status }) => status !== 'canceled')
      if (!one || more.length > 0) throw new Error(`the namespace has ${one ? 'several subscriptions' : 'none'}`)
      return one
    },
    async deliver(event, { at = clock.now(), secret } = {}) {
      const { status } = await booted.fetch('/api/webhook-billing', {
        method: 'POST',
        ...provider.sign(event, at, secret),
      })
      return status
    },
    async close() {
      await booted.close()
      await provider.close()
    },
  }
  return world
}

async function switched(server: BootedServer, person: Person, tenant: TenantId, namespace: string): Promise<Payer> {
  const { username, password } = person
  const signedIn = await server.client().call(auth.login, { body: { username, password } })
  const { body } = await server.client(signedIn.body.token).call(auth.switchNamespace, { params: { tenant } })
  const client = server.client(body.token)
  return { ...person, tenant, namespace, client, again: () => switched(server, person, tenant, namespace) }
}

/** Makes the customer, and a card its default one. */
export async function payWith({ client }: { readonly client: Client }, card: string): Promise<void> {
  await client.call(billing.createCustomer, {})
  await client.call(billing.attachPaymentMethod, { body: { id: card } })
  await client.call(billing.setDefaultPaymentMethod, { body: { id: card } })
}

export async function standingOf({ client }: { readonly client: Client }): Promise<BillingStanding> {
  return (await client.call(billing.standing, {})).body
}

/** Waits until the server knows of a status. */
export async function untilStatus(
  payer: { readonly client: Client },
  status: BillingStanding['status'],
): Promise<void> {
  await until(async () => (await standingOf(payer)).status === status)
}

export async function acceptAll(payer: Person, uids: readonly DeviceUid[]): Promise<void> {
  for (const uid of uids) await setStatus(payer, uid, 'accept')
}
