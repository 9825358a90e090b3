// Dialogs that share a snippet with the namespace, and change one.
import { type SharedSnippet, snippets } from '@bowline/contract/operations/fleet/snippets'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { sharedSnippetMessages as texts } from './messages.ts'
import { SHARED_SNIPPETS } from './queries.ts'
import { type SnippetFields, SnippetForm } from './snippet-form.tsx'

const INVALIDATES = [SHARED_SNIPPETS, keys.tags]

interface AddSnippetProps {
  readonly opened: boolean
  readonly onClose: () => void
}

export function AddSnippet({ opened, onClose }: AddSnippetProps) {
  const { api } = useRuntime()
  const create = useAction({
    call: (body: SnippetFields) => api.call(snippets.create, { body }),
    done: ({ name }) => texts.added(name),
    invalidates: INVALIDATES,
  })
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.addTitle} size="lg">
      <SnippetForm
        send={async (fields) => {
          await create.send(fields)
          onClose()
        }}
        onCancel={onClose}
      />
    </Dialog>
  )
}

interface EditSnippetProps {
  /** Undefined: closed. */
  readonly snippet: SharedSnippet | undefined
  readonly onClose: () => void
}

export function EditSnippet({ snippet, onClose }: EditSnippetProps) {
  const { api } = useRuntime()
  const update = useAction({
    call: ({ id, body }: { id: string; body: SnippetFields }) => api.call(snippets.update, { params: { id }, body }),
    done: ({ body }) => texts.saved(body.name),
    invalidates: INVALIDATES,
  })
  return (
    <Dialog opened={snippet !== undefined} onClose={onClose} title={texts.editNamed(snippet?.name ?? '')} size="lg">
      {snippet ? (
        <SnippetForm
          snippet={snippet}
          send={async (body) => {
            await update.send({ id: snippet.id, body })
            onClose()
          }}
          onCancel={onClose}
        />
      ) : null}
    </Dialog>
  )
}
