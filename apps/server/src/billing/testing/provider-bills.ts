// Invoices of the provider's double, and what it would put on the next one.
import { type DoubleInvoice, type DoubleSubscription, UNIT } from './provider-objects.ts'

export class Bills {
  readonly invoices: DoubleInvoice[] = []
  /** Amounts in cents by subscription: reported usage, and devices added since the last invoice. */
  readonly #unbilled = new Map<string, number>()

  /** @param devices number that a meter has told; it replaces an earlier one of the period */
  used(subscription: string, devices: number): void {
    this.#unbilled.set(subscription, UNIT * devices)
  }

  /** @param devices added to what is paid in advance */
  added(subscription: string, devices: number): void {
    this.#unbilled.set(subscription, Math.max(0, (this.#unbilled.get(subscription) ?? 0) + UNIT * devices))
  }

  /** Makes an invoice. @param page address of its page */
  invoice(of: DoubleSubscription, bill: Pick<DoubleInvoice, 'id' | 'status' | 'total' | 'created'>, page: string) {
    const { id: subscription, customer } = of
    const amount_remaining = bill.status === 'paid' || bill.status === 'void' ? 0 : bill.total
    const invoice: DoubleInvoice = {
      ...bill,
      object: 'invoice',
      subscription,
      customer,
      currency: 'usd',
      amount_remaining,
      hosted_invoice_url: page,
    }
    this.invoices.push(invoice)
    return invoice
  }

  /** Takes the unbilled amount of a subscription that ends. */
  settle(subscription: string): number {
    const amount = this.#unbilled.get(subscription) ?? 0
    this.#unbilled.delete(subscription)
    return amount
  }

  /** As a request lists them, the newest first. */
  list({ subscription, customer, status }: Readonly<Record<string, string | undefined>>): DoubleInvoice[] {
    const matches = (wanted: string | undefined, is: string): boolean => wanted === undefined || wanted === is
    return this.invoices
      .filter((one) => matches(subscription, one.subscription) && matches(customer, one.customer))
      .filter((one) => matches(status, one.status))
      .toReversed()
  }
}
