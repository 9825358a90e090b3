// Full-text search within a recording.
import type { RecordingHit } from '@bowline/contract/schemas/recording'
import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState, type Ref } from 'react'
import type { ListPage } from '../../../live/apply-events.ts'
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx'
import { TextInput } from '../../../ui/kit.ts'
import { playerMessages as texts } from '../messages.ts'
import classes from '../player.module.css'
import { Snippet } from './snippet.tsx'
import { formatClock } from '../../../ui/text/clock.ts'

interface SearchPanelProps {
  readonly field: Ref<HTMLInputElement>
  /** The submitted search words. */
  readonly words: string
  readonly hits: UseQueryResult<ListPage<RecordingHit>>
  /** Index of the hit that was jumped to. */
  readonly current: number | undefined
  /** True when the whole recording is searchable. */
  readonly indexed: boolean
  readonly onSearch: (words: string) => void
  readonly onJump: (number: number) => void
}

export function SearchPanel({ field, words, hits, current, indexed, onSearch, onJump }: SearchPanelProps) {
  const [text, setText] = useState(words)
  const { data, isError, error } = hits
  const items = words === '' ? [] : (data?.items ?? [])
  const nothing = words !== '' && data !== undefined && items.length === 0
  return (
    <>
      <search>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            onSearch(text.trim())
          }}
        >
          <TextInput
            ref={field}
            type="search"
            size="xs"
            label={texts.search}
            description={texts.searchHint}
            maxLength={256}
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </form>
      </search>
      {isError ? <ErrorPanel title={texts.searchFailed} error={error} onRetry={() => hits.refetch()} /> : null}
      <output className={classes['found']}>
        {nothing ? (indexed ? texts.noHits : texts.noHitsYet) : null}
        {items.length > 0 ? texts.hits(data?.total ?? 0) : null}
        {items.length > 0 && (data?.total ?? 0) > items.length ? `. ${texts.more}` : null}
      </output>
      <ol className={classes['list']}>
        {items.map((hit, number) => (
          <li key={`${hit.seconds} ${hit.seat} ${hit.kind}`}>
            <button
              type="button"
              className={classes['entry']}
              aria-current={number === current}
              onClick={() => onJump(number)}
            >
              <span className={classes['entryTime']}>{formatClock(hit.seconds * 1_000)}</span>
              <Snippet hit={hit} />
            </button>
          </li>
        ))}
      </ol>
      <Link to="/recordings" search={{ q: words }} className={classes['more'] ?? ''}>
        {texts.searchAll}
      </Link>
    </>
  )
}
