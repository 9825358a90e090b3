// Agent versions of the accepted devices, the most frequent first; each links to its devices.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRuntime } from '../../core/context.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Skeleton, Text } from '../../ui/kit.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { facetQuery } from '../devices/facet-query.ts'
import { presenceMessages } from '../presence/messages.ts'
import classes from '../presence/presence.module.css'

const texts = presenceMessages.versions
const SHOWN = 6

export function VersionsPanel() {
  const { api } = useRuntime()
  const query = useQuery(facetQuery(api, 'version', { kind: 'devices', status: 'accepted', words: '' }))
  const total = query.data?.reduce((sum, { count }) => sum + count, 0) ?? 0
  return (
    <SectionCard title={texts.title}>
      {query.isError && !query.data ? (
        <ErrorPanel title={texts.loadFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : null}
      {query.isPending ? <Skeleton height={60} /> : null}
      {query.data?.length === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.none}
        </Text>
      ) : null}
      <ul className={classes['versions']}>
        {query.data?.slice(0, SHOWN).map(({ value, count }) => (
          <li key={value}>
            <Link to="/devices" search={{ version: [value] }}>
              {value}
            </Link>
            <span className={classes['bar']} aria-hidden>
              <span style={{ width: `${(count / Math.max(1, total)) * 100}%` }} />
            </span>
            <span>{texts.devices(count)}</span>
          </li>
        ))}
      </ul>
    </SectionCard>
  )
}
