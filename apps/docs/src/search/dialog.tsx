// The search dialog. Loaded on first use.
import { type ReactElement, useEffect, useState } from 'react'
import { Screen } from './screens.tsx'
import { QUERY_LIMIT } from './search-docs.ts'
import { SearchInput } from './search-input.tsx'
import { useSearchSettings } from './settings.ts'
import { useDocsAutocomplete } from './use-docs-autocomplete.ts'
import styles from './search.module.css'

interface DialogProps {
  readonly initialQuery: string
  /** Returns what was typed before the field mounted; later keys go to the field itself. */
  readonly takeTyped: () => string
  readonly close: () => void
}

export function SearchDialog({ initialQuery, takeTyped, close }: DialogProps): ReactElement {
  const settings = useSearchSettings()
  const [dialog, setDialog] = useState<HTMLDialogElement | null>(null)
  const [input, setInput] = useState<HTMLInputElement | null>(null)
  const [panel, setPanel] = useState<HTMLElement | null>(null)
  const search = useDocsAutocomplete({
    id: 'docs-search',
    settings,
    initialQuery,
    withHistory: true,
    openOnFocus: true,
    chosen: close,
  })
  const { api, state } = search

  useEffect(() => {
    dialog?.showModal()
    input?.select()
    const typed = input ? takeTyped() : ''
    // As if typed into the field: replaces the selected text.
    if (typed !== '') api.setQuery(typed.slice(0, QUERY_LIMIT))
    void api.refresh()
  }, [api, dialog, input, takeTyped])
  const { activeItemId } = state
  useEffect(() => {
    if (activeItemId !== null) panel?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [activeItemId, panel])

  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events -- Escape does the same by keyboard
    <dialog
      ref={setDialog}
      className={styles['dialog']}
      aria-label="Search the documentation"
      onClose={close}
      onClick={({ target }) => target === dialog && close()}
      onKeyDownCapture={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        close()
      }}
    >
      <div className={styles['frame']} data-status={search.failed && state.status === 'idle' ? 'error' : state.status}>
        <form
          className={styles['form']}
          action=""
          onSubmit={(event) => event.preventDefault()}
          onReset={(event) => {
            api.getFormProps({ inputElement: input }).onReset(event)
            input?.focus()
          }}
        >
          <SearchInput
            search={search}
            element={input}
            setElement={setInput}
            open={search.listIds !== ''}
            onBlur={undefined}
          />
          <span className={styles['spinner']} hidden={state.status !== 'stalled'} aria-hidden />
          <button type="reset" className={styles['action']} aria-label="Clear the query" hidden={state.query === ''}>
            ×
          </button>
          <button type="button" className={styles['cancel']} onClick={close}>
            Cancel
          </button>
        </form>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls */}
        <section ref={setPanel} className={styles['results']} tabIndex={0} aria-label="Results">
          <Screen search={search} settings={settings} seeAll={close} />
        </section>
        <footer className={styles['footer']}>
          <span>
            <kbd>↵</kbd> to select
          </span>
          <span>
            <kbd>↑</kbd> <kbd>↓</kbd> to navigate
          </span>
          <span>
            <kbd>esc</kbd> to close
          </span>
        </footer>
      </div>
    </dialog>
  )
}
