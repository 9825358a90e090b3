// Formats amounts and days in the console's language.
import type { DevicePrice } from '@bowline/contract/schemas/billing'
import { billingMessages as texts } from './messages.ts'
import { locale } from '../../platform/language/language.ts'
import { timeZone } from '../../platform/time-zone.ts'

const days = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone })

/**
 * An amount in its currency.
 * @param cents a hundredth of the currency's unit
 * @param language of the console by default
 */
export function formatMoney(cents: number, currency: 'usd' | 'brl', language = locale): string {
  return new Intl.NumberFormat(language, { style: 'currency', currency: currency.toUpperCase() }).format(cents / 100)
}

/** @param time RFC 3339, or milliseconds since the epoch */
export function formatDay(time: string | number): string {
  return days.format(new Date(time))
}

export function formatPrice({ amount, currency, interval }: DevicePrice): string {
  const each = texts.intervals[interval]
  return amount === null ? texts.priceByCount(each) : texts.priceEach(formatMoney(amount, currency), each)
}
