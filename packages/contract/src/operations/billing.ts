// Billing of the cloud edition.
import * as z from 'zod'
import type { ErrorCode } from '../errors.ts'
import { LIMITS } from '../limits.ts'
import { type Method, operation } from '../operation.ts'
import type { Permission } from '../roles.ts'
import { BillingEvaluation, BillingStanding, Customer, REPORT_ACTIONS, Subscription } from '../schemas/billing.ts'
import { DeviceUid } from '../schemas/common.ts'
import { Device } from '../schemas/device.ts'

// Also while the namespace is disabled: a subscription goes on, and its owner can end it.
const may = (permission: Permission) => ({ kind: 'member', permission, keys: true, whileDisabled: true }) as const
const provider: ErrorCode[] = ['NOT_FOUND', 'DEPENDENCY_FAILED', 'CONFLICT']
const PaymentMethodId = z.object({
  id: z.string().min(1, 'is required').max(255).regex(/^\w+$/, 'must be letters, digits and underscores'),
})

/** The three calls on a payment method differ only in their verb. */
const paymentMethod = (verb: 'attach' | 'detach' | 'default', permission: Permission, summary: string) =>
  operation({
    method: 'POST' satisfies Method,
    path: `/api/billing/paymentmethod/${verb}`,
    noun: 'billing',
    summary,
    access: may(permission),
    body: PaymentMethodId,
    errors: [...provider, 'CARD_REFUSED'],
    cloudOnly: true,
  })

export const billing = {
  createCustomer: operation({
    method: 'POST',
    path: '/api/billing/customer',
    noun: 'billing',
    summary: 'Create the customer of the namespace',
    access: may('billingCreateCustomer'),
    errors: provider,
    cloudOnly: true,
  }),
  getCustomer: operation({
    method: 'GET',
    path: '/api/billing/customer',
    noun: 'billing',
    summary: 'The customer of the namespace',
    access: may('billingCreateCustomer'),
    response: Customer,
    errors: provider,
    cloudOnly: true,
  }),
  createSubscription: operation({
    method: 'POST',
    path: '/api/billing/subscription',
    noun: 'billing',
    summary: 'Subscribe',
    access: may('billingCreateSubscription'),
    errors: [...provider, 'CARD_REFUSED'],
    cloudOnly: true,
  }),
  getSubscription: operation({
    method: 'GET',
    path: '/api/billing/subscription',
    noun: 'billing',
    summary: 'The subscription of the namespace',
    access: may('billingGetSubscription'),
    response: Subscription,
    errors: [...provider, 'SUBSCRIPTION_REQUIRED'],
    cloudOnly: true,
  }),
  attachPaymentMethod: paymentMethod('attach', 'billingAddPaymentMethod', 'Add a payment method'),
  detachPaymentMethod: paymentMethod('detach', 'billingRemovePaymentMethod', 'Remove a payment method'),
  setDefaultPaymentMethod: paymentMethod('default', 'billingUpdatePaymentMethod', 'Choose the default payment method'),
  chooseDevices: operation({
    method: 'POST',
    path: '/api/billing/device-choice',
    noun: 'billing',
    summary: 'Keep up to three accepted devices; the others become pending',
    access: may('billingChooseDevices'),
    body: z.object({ choices: z.array(DeviceUid).max(LIMITS.deviceChoice, 'must have at most 3 devices') }),
    cloudOnly: true,
  }),
  mostUsedDevices: operation({
    method: 'GET',
    path: '/api/billing/devices-most-used',
    noun: 'billing',
    summary: 'The three devices with the most sessions',
    access: { kind: 'member', keys: true },
    // Counts every session of the namespace.
    cost: 200,
    response: z.array(Device),
    total: true,
    cloudOnly: true,
  }),
  report: operation({
    method: 'POST',
    path: '/api/billing/report',
    noun: 'billing',
    summary: 'Report a billable action',
    access: may('billingCreateSubscription'),
    query: z.object({ action: z.enum(REPORT_ACTIONS, `must be ${REPORT_ACTIONS.join(' or ')}`) }),
    errors: [...provider, 'SUBSCRIPTION_REQUIRED'],
    cloudOnly: true,
  }),
  evaluate: operation({
    method: 'POST',
    path: '/api/billing/evaluate',
    noun: 'billing',
    summary: 'Whether devices can be accepted and connected to',
    access: { kind: 'member', keys: true },
    response: BillingEvaluation,
    errors: provider,
    cloudOnly: true,
  }),
  portal: operation({
    method: 'POST',
    path: '/api/billing/portal',
    noun: 'billing',
    summary: "Address of the payment provider's page for invoices, payment methods and cancelling",
    access: may('billingCreateSubscription'),
    query: z.object({
      /** The form for a new payment method, which becomes the default one. */
      flow: z.enum(['payment_method'], 'must be payment_method').optional(),
    }),
    response: z.object({ url: z.url() }),
    errors: provider,
    cloudOnly: true,
  }),
  standing: operation({
    method: 'GET',
    path: '/api/billing/standing',
    noun: 'billing',
    summary: 'What the namespace may do, and what happens next',
    access: { kind: 'member', keys: true, whileDisabled: true },
    response: BillingStanding,
    cloudOnly: true,
  }),
  webhook: operation({
    method: 'POST',
    path: '/api/webhook-billing',
    noun: 'billing',
    summary: 'Takes events of the payment provider, signed in Stripe-Signature',
    access: { kind: 'public' },
    body: z.looseObject({ id: z.string().min(1).max(255), type: z.string().min(1).max(255) }),
    bodyBytes: 262_144,
    keepsText: true,
    errors: ['DEPENDENCY_FAILED'],
    cloudOnly: true,
  }),
}
