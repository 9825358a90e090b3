// Hosted pages of the provider's double: the customer portal, where people type cards and cancel. A card ending in 0341
// is one whose payments are refused.
import type { DoublePortal } from './provider-objects.ts'
import type { ProviderState } from './provider-state.ts'

export interface PageAnswer {
  readonly status: number
  readonly html?: string
  /** Where the browser goes next. */
  readonly location?: string
}

/**
 * Answers a request of a browser.
 * @param path `/portal/<id>`, and with `POST` `/portal/<id>/card`, `/cancel` or `/resume`
 * @param text the form as it came
 * @returns undefined for a path that is no page
 */
export function answerPage(state: ProviderState, path: string, text: string): PageAnswer | undefined {
  const [, page, id = '', action] = path.split('/')
  if (page === 'invoice') return { status: 200, html: document('Invoice', `<h1>Invoice of ${id}</h1>`) }
  if (page !== 'portal') return undefined
  const portal = state.portals.get(id)
  if (!portal) return { status: 404, html: document('Expired', '<h1>This page has expired</h1>') }
  if (action === undefined) return { status: 200, html: portalPage(state, portal) }
  const { customer } = portal
  if (action === 'card') addCard(state, customer, new URLSearchParams(text).get('card') ?? '')
  const [current] = state.current(customer)
  if (current && action !== 'card') state.change(current.id, { cancelAtEnd: action === 'cancel' })
  return { status: 303, location: portal.cardOnly ? portal.returnTo : `/portal/${id}` }
}

/** As the real page does: the new card becomes the default one. */
function addCard(state: ProviderState, customer: string, number: string): void {
  const last4 = number.slice(-4)
  const card = state.card(last4, last4 === '0341' ? 'payment' : undefined)
  state.answer('POST', ['payment_methods', card, 'attach'], { customer })
  state.answer('POST', ['customers', customer], { invoice_settings: { default_payment_method: card } })
}

function portalPage(state: ProviderState, { id, customer, cardOnly, returnTo }: DoublePortal): string {
  const card = `<form method="post" action="/portal/${id}/card">
    <label>Card number <input name="card" autocomplete="off"></label> <button>Add card</button></form>`
  const [current] = state.current(customer)
  const verb = current?.cancel_at_period_end ? 'resume' : 'cancel'
  const plan = current
    ? `<form method="post" action="/portal/${id}/${verb}"><button>${verb === 'cancel' ? 'Cancel' : 'Resume'} subscription</button></form>`
    : ''
  const back = `<a href="${returnTo}">Return to Bowline</a>`
  return document('Payments', `<h1>Payments of ${customer}</h1>${card}${cardOnly ? '' : plan + back}`)
}

function document(title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body>${body}</body></html>`
}
