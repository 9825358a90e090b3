// Health of one device: each measure with its chart, and all of them as a table.
import type { HealthHistory } from '@bowline/contract/operations/fleet/health'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import type { DeviceHealth } from '@bowline/contract/schemas/fleet/health'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Skeleton, Text } from '../../ui/kit.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { formatBytes } from '../../ui/text/numbers.ts'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { PeriodChoice } from '../presence/period-choice.tsx'
import type { Period } from '../presence/queries.ts'
import { HealthTable } from './health-table.tsx'
import { MeasureChart } from './measure-chart.tsx'
import { type Measure, healthMessages as texts } from './messages.ts'
import { deviceHealthQuery } from './queries.ts'
import { TroubleMarks } from './trouble-marks.tsx'
import { MEASURES } from './values.ts'
import classes from './health.module.css'

export function DeviceHealthCard({ uid }: { readonly uid: DeviceUid }) {
  const { api } = useRuntime()
  const [period, setPeriod] = useState<Period>('day')
  const query = useQuery(deviceHealthQuery(api, uid, period))
  return (
    <SectionCard title={texts.title} actions={<PeriodChoice period={period} onChange={setPeriod} />}>
      {query.isError && !query.data ? (
        <ErrorPanel title={texts.loadFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : null}
      {query.isPending ? <Skeleton height={170} /> : null}
      {query.data ? <Health history={query.data} /> : null}
    </SectionCard>
  )
}

function Health({ history }: { readonly history: HealthHistory }) {
  const [withTable, setWithTable] = useState(false)
  const { latest, points } = history
  if (!latest) return <Text size="sm">{texts.silent.never}</Text>
  const isKnown = (measure: Measure) => points.some((point) => point[measure] !== null)
  const shown = MEASURES.filter((measure) => latest.state === 'reported' || isKnown(measure))
  return (
    <div className={classes['health']}>
      {latest.state === 'reported' ? <Facts latest={latest} /> : <Text size="sm">{texts.silent[latest.state]}</Text>}
      <ul className={classes['measures']}>
        {shown.map((measure) => (
          <li key={measure}>
            <MeasureChart measure={measure} now={latest[measure]} detail={detailOf(measure, latest)} points={points} />
          </li>
        ))}
      </ul>
      {shown.length > 0 ? (
        <Button size="compact-xs" variant="default" aria-expanded={withTable} onClick={() => setWithTable(!withTable)}>
          {withTable ? texts.hideTable : texts.showTable}
        </Button>
      ) : null}
      {withTable ? <HealthTable measures={shown} points={points} /> : null}
    </div>
  )
}

function Facts({ latest }: { readonly latest: DeviceHealth }) {
  return (
    <div className={classes['facts']}>
      <TroubleMarks troubles={latest.troubles} />
      {latest.booted_at ? (
        <span>
          {texts.running} <TimeAgo time={latest.booted_at} />
        </span>
      ) : null}
      <span>
        {texts.reported} <TimeAgo time={latest.reported_at} />
      </span>
    </div>
  )
}

function detailOf(measure: Measure, latest: DeviceHealth): readonly string[] {
  const { cpus, memory_bytes: total, memory_available_bytes: available, filesystems } = latest
  if (measure === 'cpu') return cpus === null ? [] : [texts.cpus(cpus)]
  if (measure === 'memory') {
    return total === null || available === null ? [] : [texts.ofMemory(formatBytes(available), formatBytes(total))]
  }
  if (measure !== 'disk') return []
  return filesystems.map(({ path, free_bytes, total_bytes }) =>
    texts.onFilesystem(path, formatBytes(free_bytes), formatBytes(total_bytes)),
  )
}
