// All results of a query, at /search?q=….
import Link from '@docusaurus/Link'
import { useHistory, useLocation } from '@docusaurus/router'
import useIsBrowser from '@docusaurus/useIsBrowser'
import Layout from '@theme/Layout'
import Heading from '@theme/Heading'
import { type ReactElement, useCallback, useEffect, useState } from 'react'
import { type Hit, LEVELS, headingOf, lineOf, pathOf } from './hit.ts'
import { HitGroups, Line } from './hit-list.tsx'
import { isUnreachable } from './hosts.ts'
import { QUERY_LIMIT, searchDocs } from './search-docs.ts'
import { SearchInput } from './search-input.tsx'
import { useSearchSettings } from './settings.ts'
import { useDocsAutocomplete } from './use-docs-autocomplete.ts'
import styles from './search.module.css'

const HITS_A_PAGE = 15
const MAX_SUGGESTED = 8

interface Results {
  readonly query: string
  readonly hits: readonly Hit[]
  readonly count: number
  readonly page: number
  readonly pages: number
  readonly failed: boolean
}

const NOTHING: Results = { query: '', hits: [], count: 0, page: 0, pages: 0, failed: false }

export default function SearchPage(): ReactElement {
  const settings = useSearchSettings()
  const { search } = useLocation()
  // The page was rendered without a query at build time: the first client render must match.
  const inAddress = (new URLSearchParams(search).get('q') ?? '').slice(0, QUERY_LIMIT)
  const query = useIsBrowser() ? inAddress : ''
  const [latest, setResults] = useState(NOTHING)
  // Ignore answers to an earlier query.
  const results = latest.query === query ? latest : NOTHING

  const load = useCallback(
    async (page: number): Promise<Results> => {
      try {
        const found = await searchDocs(settings, query, { hitsPerPage: HITS_A_PAGE, page })
        return { query, hits: found.hits, count: found.count, page, pages: found.pages, failed: false }
      } catch (error) {
        return { ...NOTHING, query, failed: isUnreachable(error) }
      }
    },
    [query, settings],
  )
  useEffect(() => {
    if (query !== '') void load(0).then(setResults)
  }, [query, load])
  const more = async (): Promise<void> => {
    const next = await load(results.page + 1)
    setResults({ ...next, hits: [...results.hits, ...next.hits] })
  }

  const title = query === '' ? 'Search the documentation' : `Search results for “${query}”`
  return (
    <Layout title={title} description="Search the documentation">
      <main className={`container ${styles['page']}`}>
        <Heading as="h1">{title}</Heading>
        <SearchField key={query} query={query} />
        <output>
          {results.failed && 'Unable to fetch results. You might want to check your network connection.'}
          {!results.failed && query !== '' && results.query === query && countWords(results.count, query)}
        </output>
        <ol className={styles['pageHits']}>
          {results.hits.map((hit) => (
            <li key={hit.objectID}>
              <Link to={pathOf(hit)}>
                <Line html={hit.type === 'content' ? headingOf(hit) : lineOf(hit)} />
              </Link>
              <span className={styles['hitPath']}>
                {LEVELS.flatMap((level) => hit.hierarchy[level] ?? [])
                  .slice(0, -1)
                  .join(' › ')}
              </span>
              {hit.type === 'content' && <Line html={lineOf(hit)} />}
            </li>
          ))}
        </ol>
        {results.page + 1 < results.pages && (
          <button type="button" className="button button--secondary" onClick={() => void more()}>
            More results
          </button>
        )}
      </main>
    </Layout>
  )
}

const countWords = (count: number, query: string): string =>
  count === 0 ? `No results for “${query}”` : `${count} ${count === 1 ? 'result' : 'results'}`

/** The field with its suggestions: Escape closes them, then clears the query; leaving the field closes them. */
function SearchField({ query }: { readonly query: string }): ReactElement {
  const settings = useSearchSettings()
  const history = useHistory()
  const [input, setInput] = useState<HTMLInputElement | null>(null)
  const search = useDocsAutocomplete({
    id: 'search-page',
    settings,
    initialQuery: query,
    withHistory: false,
    openOnFocus: false,
    hitsPerPage: MAX_SUGGESTED,
    chosen: () => undefined,
  })
  const { api, state } = search
  const open = state.isOpen && search.listIds !== ''
  return (
    <form
      className={styles['pageForm']}
      onSubmit={(event) => {
        event.preventDefault()
        api.setIsOpen(false)
        history.replace({ search: new URLSearchParams({ q: state.query }).toString() })
      }}
    >
      <SearchInput
        search={search}
        element={input}
        setElement={setInput}
        open={open}
        // Choosing with the mouse must not take the focus from the field.
        onBlur={() => api.setIsOpen(false)}
        onKeyDown={(event) => {
          // Enter shows all results unless a suggestion is selected.
          if (event.key === 'Enter' && state.activeItemId === 0) return
          api.getInputProps({ inputElement: input }).onKeyDown(event)
        }}
      />
      <button type="submit" className="button button--primary">
        Search
      </button>
      {open && (
        <div className={styles['pagePanel']} {...api.getPanelProps()}>
          <HitGroups search={search} />
        </div>
      )}
    </form>
  )
}
