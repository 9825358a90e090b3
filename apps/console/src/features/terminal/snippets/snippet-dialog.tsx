// Finds and inserts snippets by the keyboard (WAI-ARIA combobox with a list), and changes them.
/* oxlint-disable jsx-a11y/prefer-tag-over-role -- native lists can neither be filtered nor show a second line */
import type { SharedSnippet } from '@bowline/contract/operations/fleet/snippets'
import { Link } from '@tanstack/react-router'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { useStore } from '../../../core/context.tsx'
import { IconButton } from '../../../ui/controls/icon-button.tsx'
import { Button, Group, Modal, Stack, Text, TextInput } from '../../../ui/kit.ts'
import { uiMessages } from '../../../ui/messages.ts'
import { onOneLine } from '../../shared-snippets/one-line.ts'
import { snippetMessages as texts } from './messages.ts'
import { SnippetForm } from './snippet-form.tsx'
import { type Choice, type Snippet, type Snippets, choices, matching } from './snippets.ts'
import classes from './snippets.module.css'

interface SnippetDialogProps {
  /** The person's own. */
  readonly snippets: Snippets
  /** Those of the namespace. */
  readonly shared: readonly SharedSnippet[]
  /** Of the device. */
  readonly tags: readonly string[]
  readonly onInsert: (snippet: Snippet) => void
  readonly onClose: () => void
}

export function SnippetDialog({ snippets, shared, tags, onInsert, onClose }: SnippetDialogProps) {
  const [edited, setEdited] = useState<Snippet>()
  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      returnFocus={false}
      title={texts.title}
      closeButtonProps={{ 'aria-label': uiMessages.close }}
    >
      {edited ? (
        <SnippetForm
          snippet={edited}
          onBack={() => setEdited(undefined)}
          onSave={(snippet) => {
            const isSaved = snippets.put(snippet)
            if (isSaved) setEdited(undefined)
            return isSaved
          }}
        />
      ) : (
        <Chooser {...{ snippets, shared, tags, onInsert, onClose }} onEdit={setEdited} />
      )}
    </Modal>
  )
}

interface ChooserProps extends SnippetDialogProps {
  readonly onEdit: (snippet: Snippet) => void
}

function Chooser({ snippets, shared, tags, onInsert, onEdit, onClose }: ChooserProps) {
  const all = choices(useStore(snippets.list), shared, tags)
  const list = useId()
  const [words, setWords] = useState('')
  const [marked, setMarked] = useState(0)
  const found = matching(all, words)
  const at = Math.min(marked, found.length - 1)
  const one = found[at]
  const onKey = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setMarked((at + step + found.length) % Math.max(1, found.length))
    }
    if (event.key === 'Enter' && one) {
      event.preventDefault()
      onInsert(one)
    }
  }
  return (
    <Stack gap="sm">
      <TextInput
        role="combobox"
        aria-label={texts.search}
        aria-expanded={found.length > 0}
        aria-controls={list}
        aria-activedescendant={one ? `${list}-${at}` : undefined}
        placeholder={texts.search}
        value={words}
        autoComplete="off"
        data-autofocus
        onChange={(event) => {
          setWords(event.currentTarget.value)
          setMarked(0)
        }}
        onKeyDown={onKey}
      />
      {found.length === 0 ? (
        <Text component="output" size="sm" c="dimmed">
          {all.length === 0 ? texts.none : texts.noMatch}
        </Text>
      ) : null}
      <div id={list} role="listbox" aria-label={texts.list} className={classes['list']}>
        {found.map((snippet, index) => (
          // The keyboard stays in the field above.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={snippet.id}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === at}
            className={classes['snippet']}
            onClick={() => onInsert(snippet)}
            onPointerMove={() => setMarked(index)}
          >
            <span className={classes['name']}>{snippet.name}</span>
            {noteOf(snippet) === '' ? null : <span className={classes['note']}>{noteOf(snippet)}</span>}
            <code className={classes['text']}>{onOneLine(snippet.text)}</code>
          </div>
        ))}
      </div>
      <Text size="xs" c="dimmed">
        {texts.hint}
      </Text>
      <Group gap="xs">
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => onEdit({ id: crypto.randomUUID(), name: '', text: '', runs: false })}
        >
          {texts.add}
        </Button>
        {one && one.sharedBy === undefined ? (
          <>
            <IconButton aria-label={texts.edit(one.name)} onClick={() => onEdit(one)}>
              <Pencil size={15} aria-hidden />
            </IconButton>
            <IconButton aria-label={texts.remove(one.name)} onClick={() => snippets.remove(one.id)}>
              <Trash2 size={15} aria-hidden />
            </IconButton>
          </>
        ) : null}
        <Link to="/settings/snippets" className={classes['manage'] ?? ''} onClick={onClose}>
          {texts.ofNamespace}
        </Link>
      </Group>
    </Stack>
  )
}

const noteOf = ({ runs, sharedBy }: Choice): string =>
  sharedBy === undefined ? (runs ? texts.runs : '') : texts.sharedBy(sharedBy)
