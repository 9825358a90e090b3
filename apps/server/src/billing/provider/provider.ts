// Interface of a payment provider, as billing uses it.
import type { Customer, Subscription } from '@bowline/contract/schemas/billing'

/** A subscription as the provider has it now. */
export interface ProviderSubscription extends Subscription {
  /** Devices that are billed; undefined for a metered price. */
  readonly devices: number | undefined
}

/** A customer as the provider has it now. */
export interface ProviderCustomer {
  readonly id: string
  /** Namespace that it was made for; '' for one that was not made by us. */
  readonly tenant: string
  /** A customer of live mode, not of test mode. */
  readonly live: boolean
  /** The newest active subscription, else the newest that is not over, else the newest of all. */
  readonly subscription: ProviderSubscription | undefined
}

/** An event whose signature has been checked. */
export interface ProviderEvent {
  readonly id: string
  readonly type: string
  readonly createdAt: Date
  /** '' when it is about no customer. */
  readonly customer: string
}

/**
 * Every call rejects with a BowlineError when it fails: DEPENDENCY_FAILED, CARD_REFUSED, NOT_FOUND.
 * `key`: calls with the same key are carried out once.
 */
export interface PaymentProvider {
  /** The key is one of live mode, not of test mode. */
  readonly live: boolean
  /** @returns the id of the customer */
  createCustomer(input: { tenant: string; name: string; email: string; key: string }): Promise<string>
  describeCustomer(id: string): Promise<Customer>
  /**
   * A customer that it has never had is a failure: the key is one of another account or mode.
   * @returns undefined for a customer that was deleted there
   */
  readCustomer(id: string): Promise<ProviderCustomer | undefined>
  /** Customers that were made for namespaces, by pages. */
  eachCustomer(): AsyncIterable<ProviderCustomer>
  attachMethod(input: { customer: string; method: string; key: string }): Promise<void>
  /** Only a method of that customer. */
  detachMethod(input: { customer: string; method: string; key: string }): Promise<void>
  setDefaultMethod(input: { customer: string; method: string; key: string }): Promise<void>
  subscribe(input: { customer: string; devices: number; key: string }): Promise<void>
  /** Sets how many devices are billed. */
  setDevices(input: { customer: string; subscription: string; devices: number; key: string }): Promise<void>
  /** Ends a subscription at once. */
  cancel(input: { subscription: string; key: string }): Promise<void>
  /**
   * @param flow a single form of the page; undefined: the whole page
   * @returns address of a page for the customer, valid for minutes
   */
  portal(input: { customer: string; returnTo: string; flow: 'payment_method' | undefined }): Promise<string>
  /**
   * Checks an event's signature.
   * @param text the body as it came
   * @returns undefined when the signature is none, is wrong or is older than five minutes
   */
  readEvent(text: string, signature: string, now: number): ProviderEvent | undefined
}
