// Full-text search over all recorded sessions of the namespace.
import type { RecordingHit } from '@bowline/contract/schemas/recording'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { useCallback } from 'react'
import { useMay, usePerson, useRuntime } from '../../core/context.tsx'
import { deviceQuery } from '../../core/devices/queries.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Loader } from '../../ui/kit.ts'
import { Page } from '../../ui/page/page.tsx'
import { Pager } from '../../ui/list/pager.tsx'
import { SearchField } from '../../ui/form/search-field.tsx'
import { TimeAgo } from '../../ui/text/time-ago.tsx'
import { namespaceQuery } from '../namespaces/queries.ts'
import { LatestRecordings } from './latest-recordings.tsx'
import { playerMessages } from './messages.ts'
import classes from './player.module.css'
import { RecordingFilters } from './recording-filters.tsx'
import { HITS_PER_PAGE, hitsQuery } from './queries.ts'
import type { RecordingsSearch } from './search.ts'
import { Snippet } from './view/snippet.tsx'
import { formatClock } from '../../ui/text/clock.ts'

const texts = playerMessages.recordings

export function RecordingsPage({ search: given }: { readonly search: RecordingsSearch }) {
  const { q, page, ...of } = given
  const { api } = useRuntime()
  const navigate = useNavigate()
  const hits = useQuery(hitsQuery(api, q, page, of))
  const mayPlay = useMay('sessionPlay')
  const search = useCallback(
    (words: string) =>
      void navigate({ to: '/recordings', search: (before) => ({ ...before, q: words, page: 1 }), replace: true }),
    [navigate],
  )
  const items = q === '' ? [] : (hits.data?.items ?? [])
  return (
    <Page title={texts.title}>
      <div className={classes['searchLine']}>
        <SearchField label={texts.search} words={q} onSearch={search} />
      </div>
      {mayPlay ? (
        <RecordingFilters
          search={given}
          onChoose={(change) => void navigate({ to: '/recordings', search: { ...given, ...change, page: 1 } })}
        />
      ) : null}
      <RecordingOff />
      {q === '' ? <LatestRecordings search={given} /> : null}
      {q !== '' && hits.isError ? (
        <ErrorPanel title={playerMessages.searchFailed} error={hits.error} onRetry={() => hits.refetch()} />
      ) : null}
      {q !== '' && hits.isPending ? <Loader size="sm" aria-label={playerMessages.loading} /> : null}
      {q !== '' && hits.data?.items.length === 0 ? (
        <EmptyState icon={<SearchX size={24} />} title={texts.none} text={texts.noneText} />
      ) : null}
      {items.length > 0 ? (
        <ol className={classes['hits']} aria-label={texts.results} aria-busy={hits.isPlaceholderData}>
          {items.map((hit) => (
            <li key={`${hit.session} ${hit.seat} ${hit.seconds} ${hit.kind}`}>
              <Hit hit={hit} q={q} />
            </li>
          ))}
        </ol>
      ) : null}
      <Pager
        list={texts.results}
        page={page}
        perPage={HITS_PER_PAGE}
        total={q === '' ? 0 : (hits.data?.total ?? 0)}
        renderLink={(other, children, label, className) => (
          <Link to="/recordings" search={{ ...given, page: other }} aria-label={label} className={className}>
            {children}
          </Link>
        )}
      />
    </Page>
  )
}

/** Says why nothing new is found, which an empty page does not. */
function RecordingOff() {
  const { api } = useRuntime()
  const tenant = usePerson()?.tenant ?? ''
  const namespace = useQuery({ ...namespaceQuery(api, tenant), enabled: tenant !== '' })
  const mayChange = useMay('namespaceUpdate')
  if (namespace.data?.settings.session_record !== false) return null
  return (
    <Callout tone="note" title={texts.off}>
      {mayChange ? <Link to="/settings">{texts.toSettings}</Link> : texts.offAsk}
    </Callout>
  )
}

function Hit({ hit, q }: { readonly hit: RecordingHit; readonly q: string }) {
  const { api } = useRuntime()
  const device = useQuery(deviceQuery(api, hit.device_uid))
  const who = `${hit.username}@${device.data?.name ?? hit.device_uid.slice(0, 8)}`
  const at = formatClock(hit.seconds * 1_000)
  return (
    <Link
      to="/sessions/$uid/play/$seat"
      params={{ uid: hit.session, seat: String(hit.seat) }}
      search={{ q, t: hit.seconds }}
      className={classes['hit'] ?? ''}
    >
      <span className={classes['hitFacts']}>
        <span className={classes['hitWho']}>{who}</span>
        <span>{at}</span>
        <span>{playerMessages.kinds[hit.kind]}</span>
        <TimeAgo time={hit.at} />
      </span>
      <Snippet hit={hit} />
    </Link>
  )
}
