// Devices online over a day or a month, on the overview.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Skeleton } from '../../ui/kit.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { presenceMessages as texts } from './messages.ts'
import { PeriodChoice } from './period-choice.tsx'
import { PresenceChart } from './presence-chart.tsx'
import { type Period, presenceQuery } from './queries.ts'

export function PresencePanel() {
  const { api } = useRuntime()
  const [period, setPeriod] = useState<Period>('day')
  const query = useQuery(presenceQuery(api, period))
  return (
    <SectionCard title={texts.title} actions={<PeriodChoice period={period} onChange={setPeriod} />}>
      {query.isError && !query.data ? (
        <ErrorPanel title={texts.loadFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : null}
      {query.isPending ? <Skeleton height={170} /> : null}
      {query.data ? (
        <PresenceChart presence={query.data} period={query.isPlaceholderData ? other(period) : period} />
      ) : null}
    </SectionCard>
  )
}

/** While a period loads, the chart of the other one stays. */
function other(period: Period): Period {
  return period === 'day' ? 'month' : 'day'
}
