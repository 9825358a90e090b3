// When one device was online: a strip, the share of the time, and its absences as a table.
import type { DevicePresence } from '@bowline/contract/operations/fleet/presence'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Skeleton, Text } from '../../ui/kit.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { formatDuration, formatMoment } from '../../ui/text/numbers.ts'
import { causeText, presenceMessages } from './messages.ts'
import { PeriodChoice } from './period-choice.tsx'
import { type Period, devicePresenceQuery } from './queries.ts'
import { WIDTH, absences, pieces } from './shape.ts'
import classes from './presence.module.css'
import { locale } from '../../platform/language/language.ts'

const texts = presenceMessages.ofDevice
const SHOWN = 10

export function DevicePresenceCard({ uid }: { readonly uid: DeviceUid }) {
  const { api } = useRuntime()
  const [period, setPeriod] = useState<Period>('day')
  const query = useQuery(devicePresenceQuery(api, uid, period))
  return (
    <SectionCard title={texts.title} actions={<PeriodChoice period={period} onChange={setPeriod} />}>
      {query.isError && !query.data ? (
        <ErrorPanel title={texts.loadFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : null}
      {query.isPending ? <Skeleton height={60} /> : null}
      {query.data ? <Strip presence={query.data} period={period} /> : null}
    </SectionCard>
  )
}

function Strip({ presence, period }: { readonly presence: DevicePresence; readonly period: Period }) {
  const away = absences(presence)
  const summary = summaryOf(presence, period, away.length)
  if (presence.share === null) return <Text size="sm">{summary}</Text>
  return (
    <div className={classes['chart']}>
      <Text size="sm">{summary}</Text>
      <svg viewBox={`0 0 ${WIDTH} 20`} preserveAspectRatio="none" aria-hidden className={classes['strip']}>
        <rect className={classes['known']} x={knownFrom(presence)} width={WIDTH - knownFrom(presence)} height={20} />
        {pieces(presence).map(({ from, width, span }) => (
          <rect key={span.from} className={classes['online']} x={from} width={width} height={20}>
            <title>
              {texts.spanOnline(
                formatMoment(span.from),
                span.to === null ? presenceMessages.now : formatMoment(span.to),
              )}
            </title>
          </rect>
        ))}
      </svg>
      <span className={classes['times']} aria-hidden>
        <span>{formatMoment(presence.from)}</span>
        <span>{presenceMessages.now}</span>
      </span>
      {away.length > 0 ? <Absences absences={away.slice(0, SHOWN)} to={presence.to} /> : null}
    </div>
  )
}

function Absences({ absences: rows, to }: { readonly absences: ReturnType<typeof absences>; readonly to: string }) {
  const { columns } = texts
  return (
    <table className={classes['readings']} aria-label={texts.table}>
      <thead>
        <tr>
          <th scope="col">{columns.from}</th>
          <th scope="col">{columns.to}</th>
          <th scope="col">{columns.duration}</th>
          <th scope="col">{columns.cause}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((absence) => (
          <tr key={absence.from}>
            <th scope="row">{formatMoment(absence.from)}</th>
            <td>{absence.to === null ? texts.stillAway : formatMoment(absence.to)}</td>
            <td>{formatDuration(Date.parse(absence.to ?? to) - Date.parse(absence.from))}</td>
            <td>{causeText(absence.cause)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function knownFrom({ from, to, known_from }: DevicePresence): number {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  return ((Date.parse(known_from) - start) / (end - start)) * WIDTH
}

function summaryOf({ share, spans, from, known_from }: DevicePresence, period: Period, away: number): string {
  if (share === null) return texts.nothing
  const percent = formatShare(share)
  const isYoung = Date.parse(known_from) > Date.parse(from)
  const breaks = spans.reduce((sum, span) => sum + span.breaks, 0)
  const main = isYoung
    ? texts.shareSince(percent, formatMoment(known_from))
    : texts.share(percent, presenceMessages.periods[period])
  return `${[main, texts.absences(away), ...(breaks > 0 ? [texts.breaks(breaks)] : [])].join(', ')}.`
}

/** Never rounded up to 100 %: the difference is what people look for. */
function formatShare(share: number): string {
  const rounded = Math.floor(share * 1_000) / 1_000
  return new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 }).format(rounded)
}
