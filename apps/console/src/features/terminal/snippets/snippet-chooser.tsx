// Opens the snippets for a pane, and inserts the chosen one there.
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { usePerson, useRuntime, useStore } from '../../../core/context.tsx'
import { deviceQuery } from '../../../core/devices/queries.ts'
import type { Store } from '../../../platform/store.ts'
import { sharedSnippetsQuery } from '../../shared-snippets/queries.ts'
import { SnippetDialog } from './snippet-dialog.tsx'
import { openSnippets } from './snippets.ts'

interface SnippetTarget {
  /** Uid of the device. */
  readonly device: string
  paste(text: string, enter: boolean): void
  focus(): void
}

interface SnippetChooserProps {
  /** Id of the pane; undefined: closed. */
  readonly open: Store<string | undefined>
  readonly target: (pane: string) => SnippetTarget | undefined
}

export function SnippetChooser({ open, target }: SnippetChooserProps) {
  const pane = useStore(open)
  return pane === undefined ? null : <OpenChooser key={pane} pane={pane} open={open} target={target} />
}

function OpenChooser({ pane, open, target }: SnippetChooserProps & { readonly pane: string }) {
  const { api } = useRuntime()
  const person = usePerson()?.id ?? ''
  const snippets = useMemo(() => openSnippets(person), [person])
  const { data: shared = [] } = useQuery(sharedSnippetsQuery(api))
  const { data: device } = useQuery(deviceQuery(api, target(pane)?.device ?? ''))
  const close = () => {
    open.set(undefined)
    target(pane)?.focus()
  }
  return (
    <SnippetDialog
      snippets={snippets}
      shared={shared}
      tags={device?.tags ?? []}
      onClose={close}
      onInsert={({ text, runs }) => {
        close()
        target(pane)?.paste(text, runs)
      }}
    />
  )
}
