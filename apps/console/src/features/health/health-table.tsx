// The points of all charts as a table, the newest first.
import type { HealthHistory } from '@bowline/contract/operations/fleet/health'
import { formatMoment } from '../../ui/text/numbers.ts'
import { type Measure, healthMessages as texts } from './messages.ts'
import { formatMeasure } from './values.ts'
import classes from '../presence/presence.module.css'

interface HealthTableProps {
  readonly measures: readonly Measure[]
  readonly points: HealthHistory['points']
}

export function HealthTable({ measures, points }: HealthTableProps) {
  const known = points.filter((point) => measures.some((measure) => point[measure] !== null))
  return (
    <table className={classes['readings']} aria-label={texts.table}>
      <thead>
        <tr>
          <th scope="col">{texts.time}</th>
          {measures.map((measure) => (
            <th key={measure} scope="col">
              {texts.measures[measure]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {known.toReversed().map((point) => (
          <tr key={point.at}>
            <th scope="row">{formatMoment(point.at)}</th>
            {measures.map((measure) => {
              const value = point[measure]
              return <td key={measure}>{value === null ? texts.unknown : formatMeasure(measure, value)}</td>
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
