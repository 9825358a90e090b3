// Completes the search for devices: keywords, and values of the devices that the list shows.
import { useQuery } from '@tanstack/react-query'
import { useRuntime } from '../../../core/context.tsx'
import type { DeviceKind } from '../../../core/devices/queries.ts'
import { CompletionList } from '../../../ui/form/completion-list.tsx'
import type { CompletionSlot } from '../../../ui/form/search-field.tsx'
import { facetQuery } from '../facet-query.ts'
import { type DevicesSearch, choicesOf } from '../search.ts'
import { completedText, completionsOf, facetOf, wordAt } from './completions.ts'
import { completionMessages as texts } from './messages.ts'

interface SearchCompletionProps {
  readonly kind: DeviceKind
  /** What narrows the list. */
  readonly search: DevicesSearch
  readonly slot: CompletionSlot
}

export function SearchCompletion({ kind, search, slot }: SearchCompletionProps) {
  const { api } = useRuntime()
  const { text, caret, onText } = slot
  const word = wordAt(text, caret)
  const by = facetOf(word)
  const scope = { kind, status: search.status, ...choicesOf({ ...search, q: undefined }) }
  const values = useQuery({ ...facetQuery(api, by ?? 'tag', scope), enabled: by !== undefined })
  // Until the answer comes, the query has the values of another property.
  const options = completionsOf(word, values.isPlaceholderData ? [] : (values.data ?? []))
  return (
    <CompletionList
      {...slot}
      label={texts.label}
      options={options}
      continues={word.typed !== '' || word.keyword !== undefined || word.minus !== ''}
      onTake={(option) => {
        const next = completedText(text, word, option)
        onText(next.text, next.caret)
      }}
    />
  )
}
