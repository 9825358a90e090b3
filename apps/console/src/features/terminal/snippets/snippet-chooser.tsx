// Opens the snippets for a pane, and inserts the chosen one there.
import { useMemo } from 'react'
import { usePerson, useStore } from '../../../core/context.tsx'
import type { Store } from '../../../platform/store.ts'
import { SnippetDialog } from './snippet-dialog.tsx'
import { openSnippets } from './snippets.ts'

interface SnippetTarget {
  paste(text: string, enter: boolean): void
  focus(): void
}

interface SnippetChooserProps {
  /** Id of the pane; undefined: closed. */
  readonly open: Store<string | undefined>
  readonly target: (pane: string) => SnippetTarget | undefined
}

export function SnippetChooser({ open, target }: SnippetChooserProps) {
  const person = usePerson()?.id ?? ''
  const snippets = useMemo(() => openSnippets(person), [person])
  const pane = useStore(open)
  if (pane === undefined) return null
  const close = () => {
    open.set(undefined)
    target(pane)?.focus()
  }
  return (
    <SnippetDialog
      snippets={snippets}
      onClose={close}
      onInsert={({ text, runs }) => {
        close()
        target(pane)?.paste(text, runs)
      }}
    />
  )
}
