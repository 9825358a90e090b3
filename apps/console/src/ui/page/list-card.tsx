// A section with a short list and a button that adds to it; it tells when the list is empty or could not be loaded.
import type { ReactNode } from 'react'
import { ErrorPanel } from '../feedback/error-panel.tsx'
import { GatedButton } from '../feedback/gated.tsx'
import { Text } from '../kit.ts'
import classes from './card-rows.module.css'
import { SectionCard } from './section-card.tsx'

interface ListCardProps<T> {
  /** The part of a query that is shown. */
  readonly query: {
    readonly data: readonly T[] | undefined
    readonly isError: boolean
    readonly error: unknown
    readonly refetch: () => unknown
  }
  /** Its anchor in the address of the page. */
  readonly id?: string
  readonly texts: Readonly<Record<'title' | 'text' | 'create' | 'roleTooLow' | 'loadFailed' | 'none', string>>
  /** True if the role may add. */
  readonly may: boolean
  readonly onCreate: () => void
  /** Renders a `<li>` with its key. */
  readonly renderRow: (one: T) => ReactNode
  /** After the list: dialogs and further facts. */
  readonly children: ReactNode
}

export function ListCard<T>({ id, query, texts, may, onCreate, renderRow, children }: ListCardProps<T>) {
  return (
    <SectionCard
      {...(id === undefined ? {} : { id })}
      title={texts.title}
      text={texts.text}
      actions={
        <GatedButton variant="default" size="compact-sm" may={may} why={texts.roleTooLow} onClick={onCreate}>
          {texts.create}
        </GatedButton>
      }
    >
      {query.isError && !query.data ? (
        <ErrorPanel title={texts.loadFailed} error={query.error} onRetry={() => query.refetch()} />
      ) : null}
      {query.data?.length === 0 ? (
        <Text size="sm" c="dimmed">
          {texts.none}
        </Text>
      ) : null}
      <ul className={classes['list']}>{query.data?.map((one) => renderRow(one))}</ul>
      {children}
    </SectionCard>
  )
}
