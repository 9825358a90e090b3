// Values of the health of devices as people read them.
import { formatCount } from '../../ui/text/numbers.ts'
import { lazily } from '../../platform/lazily.ts'
import { locale } from '../../platform/language/language.ts'
import type { Measure } from './messages.ts'

const percents = lazily(() => new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }))
const loads = lazily(() => new Intl.NumberFormat(locale, { maximumFractionDigits: 2 }))
const milliseconds = lazily(
  () =>
    new Intl.NumberFormat(locale, {
      style: 'unit',
      unit: 'millisecond',
      unitDisplay: 'short',
      maximumFractionDigits: 0,
    }),
)

/** In the order in which they are shown. */
export const MEASURES: readonly Measure[] = ['cpu', 'load', 'memory', 'disk', 'latency_ms']

export function formatMeasure(measure: Measure, value: number): string {
  switch (measure) {
    case 'load':
      return value >= 100 ? formatCount(Math.round(value)) : loads().format(value)
    case 'latency_ms':
      return milliseconds().format(value)
    case 'cpu':
    case 'memory':
    case 'disk':
      // As the server rounds for its history, but never up to 100 %: a disk is full only when nothing is left.
      return percents().format((value < 100 ? Math.min(99, Math.round(value)) : value) / 100)
  }
}

/** Value at the upper edge of a chart. */
export function topOf(measure: Measure, values: readonly number[]): number {
  if (measure === 'load') return Math.max(1, ...values)
  return measure === 'latency_ms' ? Math.max(10, ...values) : 100
}
