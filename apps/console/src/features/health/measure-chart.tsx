// One measure: its value now, its chart, and the same in words.
import type { HealthHistory } from '@bowline/contract/operations/fleet/health'
import { HEIGHT, WIDTH, areas } from '../presence/shape.ts'
import { type Measure, healthMessages as texts } from './messages.ts'
import { formatMeasure, topOf } from './values.ts'
import classes from './health.module.css'

interface MeasureChartProps {
  readonly measure: Measure
  readonly now: number | null
  /** Further lines. */
  readonly detail: readonly string[]
  readonly points: HealthHistory['points']
}

export function MeasureChart({ measure, now, detail, points }: MeasureChartProps) {
  const values = points.flatMap((point) => point[measure] ?? [])
  return (
    <div className={classes['measure']}>
      <span className={classes['label']}>{texts.measures[measure]}</span>
      <span className={classes['value']}>{now === null ? texts.unknown : formatMeasure(measure, now)}</span>
      {values.length === 0 ? null : (
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden className={classes['area']}>
          <path d={areas(points, (point) => point[measure], topOf(measure, values))} />
        </svg>
      )}
      <span className={classes['detail']}>{summaryOf(measure, values)}</span>
      {detail.map((line) => (
        <span key={line} className={classes['detail']}>
          {line}
        </span>
      ))}
    </div>
  )
}

function summaryOf(measure: Measure, values: readonly number[]): string {
  if (values.length === 0) return texts.nothing
  const [lowest, highest] = [Math.min(...values), Math.max(...values)].map((value) => formatMeasure(measure, value))
  return lowest === highest ? texts.always(lowest ?? '') : texts.between(lowest ?? '', highest ?? '')
}
