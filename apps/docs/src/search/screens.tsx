// Contents of the dialog below its field: start, hits, no results, or service unreachable.
import Link from '@docusaurus/Link'
import type { ReactElement } from 'react'
import { HistoryLists } from './history-list.tsx'
import { HitGroups } from './hit-list.tsx'
import type { SearchSettings } from './settings.ts'
import type { DocsAutocomplete } from './use-docs-autocomplete.ts'
import styles from './search.module.css'

const MAX_SUGGESTIONS = 3
/** Default suggestions until hits reveal the sections of the site. */
const FIRST_SUGGESTIONS = ['Getting started', 'Connecting', 'Firewall']

interface ScreenProps {
  readonly search: DocsAutocomplete
  readonly settings: SearchSettings
  readonly seeAll: () => void
}

export function Screen({ search, settings, seeAll }: ScreenProps): ReactElement | null {
  const { state, failed, found } = search
  const query = state.query.trim()
  const hasItems = state.collections.some(({ items }) => items.length > 0)
  if (failed && state.status !== 'loading') return <ErrorScreen />
  if (query === '') {
    if (hasItems) return <HistoryLists search={search} />
    return <p className={styles['note']}>No recent searches</p>
  }
  if (hasItems) {
    return (
      <>
        <HitGroups search={search} />
        {found && (
          <Link className={styles['seeAll'] ?? ''} to={`/search?q=${encodeURIComponent(query)}`} onClick={seeAll}>
            See all {found.count} results
          </Link>
        )}
      </>
    )
  }
  return found && state.status === 'idle' ? <NothingFound search={search} settings={settings} query={query} /> : null
}

function ErrorScreen(): ReactElement {
  return (
    <div className={styles['note']} role="alert">
      <p className={styles['noteTitle']}>Unable to fetch results</p>
      <p>You might want to check your network connection.</p>
    </div>
  )
}

function NothingFound({
  search,
  settings,
  query,
}: Omit<ScreenProps, 'seeAll'> & { readonly query: string }): ReactElement {
  const parts = search.partsSeen.length > 0 ? search.partsSeen : FIRST_SUGGESTIONS
  return (
    <div className={styles['note']}>
      <p className={styles['noteTitle']}>
        No results for “<strong>{query}</strong>”
      </p>
      <p>Try searching for:</p>
      <ul className={styles['suggestions']}>
        {parts.slice(0, MAX_SUGGESTIONS).map((part) => (
          <li key={part}>
            <button
              type="button"
              onClick={() => {
                search.api.setQuery(part.toLowerCase())
                void search.api.refresh()
              }}
            >
              {part}
            </button>
          </li>
        ))}
      </ul>
      {settings.missingResultsUrl !== '' && (
        <p>
          Believe this query should return results?{' '}
          <Link to={`${settings.missingResultsUrl}${encodeURIComponent(query)}`}>Let us know.</Link>
        </p>
      )}
    </div>
  )
}
