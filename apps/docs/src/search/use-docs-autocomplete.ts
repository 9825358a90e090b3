// Behaviour of a search field: states, keys and sources of @algolia/autocomplete-core over the site's own search.
import {
  type AutocompleteApi,
  type AutocompleteSource,
  type AutocompleteState,
  createAutocomplete,
} from '@algolia/autocomplete-core'
import { useHistory } from '@docusaurus/router'
import { type KeyboardEvent, type MouseEvent, type SyntheticEvent, useState } from 'react'
import { type GroupedHit, groupHits } from './grouping.ts'
import { type Hit, pathOf } from './hit.ts'
import { type Kept, readHistory, remember } from './history.ts'
import { isUnreachable } from './hosts.ts'
import { hitOpened, hitsShown } from './insights.ts'
import { type Found, searchDocs } from './search-docs.ts'
import type { SearchSettings } from './settings.ts'

/** A hit, or the stored part of one. A type, not an interface, because the library requires an index signature. */
export type Item = Pick<Hit, '_snippetResult' | '__position' | '__queryID'> &
  Pick<Partial<GroupedHit>, '__child'> & { [Key in keyof Kept]: Key extends 'content' ? string | null : Kept[Key] }
export type Api = AutocompleteApi<Item, SyntheticEvent, MouseEvent, KeyboardEvent>
export type State = AutocompleteState<Item>

export interface DocsAutocomplete {
  readonly api: Api
  readonly state: State
  /** No host of the search service is reachable. */
  readonly failed: boolean
  readonly found: Found | undefined
  /** Ids of the visible lists, for `aria-controls`; '' when there is none. */
  readonly listIds: string
  /** Navigates to a clicked item. (Autocomplete handles keys.) */
  readonly go: (item: Item) => void
  /** Sections of the site that hits were in since the field mounted. */
  readonly partsSeen: readonly string[]
}

const STALL_MS = 300

interface Options {
  readonly id: string
  readonly settings: SearchSettings
  readonly initialQuery: string
  /** Also shows recent and favourite searches while the query is empty. */
  readonly withHistory: boolean
  readonly openOnFocus: boolean
  readonly hitsPerPage?: number
  /** An item was chosen and the site navigates to its page. */
  readonly chosen: () => void
}

/** @param options only those of the first call count */
export function useDocsAutocomplete(options: Options): DocsAutocomplete {
  const history = useHistory()
  const [failed, setFailed] = useState(false)
  const [found, setFound] = useState<Found>()
  const [partsSeen, setPartsSeen] = useState<readonly string[]>([])
  const [state, setState] = useState<State>({
    collections: [],
    completion: null,
    context: {},
    isOpen: false,
    query: options.initialQuery,
    activeItemId: null,
    status: 'idle',
  })
  const [api] = useState<Api>(() => {
    const { settings } = options
    const sourceOf = (sourceId: string, items: readonly Item[]): AutocompleteSource<Item> => ({
      sourceId,
      getItems: () => [...items],
      getItemUrl: ({ item }) => pathOf(item),
      onSelect: ({ item, event }) => {
        remember(item)
        if (isHit(item)) hitOpened(settings, item)
        // Keys that open a link elsewhere leave the dialog open.
        const { ctrlKey, metaKey, shiftKey }: { ctrlKey?: boolean; metaKey?: boolean; shiftKey?: boolean } = event
        if (!ctrlKey && !metaKey && !shiftKey) options.chosen()
      },
    })
    return createAutocomplete<Item, SyntheticEvent, MouseEvent, KeyboardEvent>({
      id: options.id,
      defaultActiveItemId: 0,
      placeholder: 'Search docs',
      openOnFocus: options.openOnFocus,
      stallThreshold: STALL_MS,
      initialState: { query: options.initialQuery },
      navigator: { navigate: ({ itemUrl }) => history.push(itemUrl) },
      onStateChange: ({ state: next }) => setState(next),
      async getSources({ query }) {
        if (query.trim() === '') {
          setFailed(false)
          setFound(undefined)
          if (!options.withHistory) return []
          const { recent, favorites } = readHistory()
          return [sourceOf('recent', recent), sourceOf('favorites', favorites)]
        }
        try {
          const { hitsPerPage } = options
          const answer = await searchDocs(settings, query, hitsPerPage === undefined ? {} : { hitsPerPage })
          setFailed(false)
          setFound(answer)
          hitsShown(settings, answer.hits)
          const groups = groupHits(answer.hits)
          setPartsSeen((seen) => [...new Set([...seen, ...groups.map(({ title }) => title)])])
          return groups.map(({ title, hits }) => sourceOf(title, hits))
        } catch (error) {
          // The library forgets a failure as soon as the query has ended: it is kept here until the next answer.
          setFailed(isUnreachable(error))
          setFound(undefined)
          return []
        }
      },
    })
  })
  const go = (item: Item): void => history.push(pathOf(item))
  const listIds = state.collections
    .filter(({ items }) => items.length > 0)
    .map(({ source }) => api.getListProps({ source }).id)
    .join(' ')
  return { api, state, failed, found, partsSeen, listIds, go }
}

function isHit(item: Item): item is Hit & Item {
  return item.__position !== undefined
}
