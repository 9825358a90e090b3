// Number of devices online over time: an area of the average, and a darker one of the fewest at one time. The same
// numbers are in a table.
import type { NamespacePresence } from '@bowline/contract/operations/fleet/presence'
import { useState } from 'react'
import { Button, Text } from '../../ui/kit.ts'
import { formatCount, formatMoment } from '../../ui/text/numbers.ts'
import { presenceMessages as texts } from './messages.ts'
import type { Period } from './queries.ts'
import { HEIGHT, WIDTH, areas, topOf } from './shape.ts'
import classes from './presence.module.css'
import { locale } from '../../platform/language/language.ts'
import { timeZone } from '../../platform/time-zone.ts'

const hours = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone })
const days = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone })

interface PresenceChartProps {
  readonly presence: NamespacePresence
  readonly period: Period
}

export function PresenceChart({ presence: { from, buckets, bucket_seconds, devices }, period }: PresenceChartProps) {
  const [withTable, setWithTable] = useState(false)
  const known = buckets.filter(({ online }) => online !== null)
  const highest = Math.max(0, ...known.map(({ online }) => online ?? 0))
  const lowest = Math.min(...known.map(({ lowest: count }) => count ?? 0))
  const top = topOf(highest, devices)
  const summary = texts.summary(shown(lowest), shown(highest), devices, texts.periods[period])
  const middle = new Date(Date.parse(from) + (buckets.length / 2) * bucket_seconds * 1_000)
  const mark = period === 'day' ? hours : days
  if (known.length === 0) return <Text size="sm">{texts.unknown}</Text>
  return (
    <div className={classes['chart']}>
      <div className={classes['plot']}>
        <span className={classes['scale']} aria-hidden>
          <span>{formatCount(top)}</span>
          <span>0</span>
        </span>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden className={classes['areas']}>
          <path className={classes['average']} d={areas(buckets, ({ online }) => online, top)} />
          <path className={classes['lowest']} d={areas(buckets, ({ lowest: count }) => count, top)} />
          {buckets.map((bucket, index) => (
            <rect
              key={bucket.at}
              className={classes['reading']}
              x={(index / buckets.length) * WIDTH}
              width={WIDTH / buckets.length}
              height={HEIGHT}
            >
              <title>{reading(bucket)}</title>
            </rect>
          ))}
        </svg>
        <span className={classes['times']} aria-hidden>
          <span>{mark.format(new Date(from))}</span>
          <span>{mark.format(middle)}</span>
          <span>{texts.now}</span>
        </span>
      </div>
      <div className={classes['below']}>
        <Text size="xs" c="dimmed">
          {summary}
        </Text>
        <Button size="compact-xs" variant="default" aria-expanded={withTable} onClick={() => setWithTable(!withTable)}>
          {withTable ? texts.hideTable : texts.showTable}
        </Button>
      </div>
      {withTable ? <Readings buckets={buckets} /> : null}
    </div>
  )
}

function Readings({ buckets }: Pick<NamespacePresence, 'buckets'>) {
  const { columns } = texts
  return (
    <table className={classes['readings']} aria-label={texts.table}>
      <thead>
        <tr>
          <th scope="col">{columns.time}</th>
          <th scope="col">{columns.average}</th>
          <th scope="col">{columns.lowest}</th>
        </tr>
      </thead>
      <tbody>
        {buckets.toReversed().map(({ at, online, lowest }) => (
          <tr key={at}>
            <th scope="row">{formatMoment(at)}</th>
            <td>{online === null ? texts.notRecorded : shown(online)}</td>
            <td>{lowest === null ? '' : formatCount(lowest)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function reading({ at, online, lowest }: NamespacePresence['buckets'][number]): string {
  if (online === null || lowest === null) return texts.bucketUnknown(formatMoment(at))
  return texts.bucket(formatMoment(at), shown(online), formatCount(lowest))
}

/** An average without digits that mean nothing. */
function shown(online: number): string {
  return formatCount(online < 10 ? Math.round(online * 10) / 10 : Math.round(online))
}
