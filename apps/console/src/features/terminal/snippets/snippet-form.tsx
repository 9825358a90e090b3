// Form for a new snippet or a change of one.
import { useState } from 'react'
import { Callout } from '../../../ui/feedback/callout.tsx'
import { Button, Checkbox, Group, Stack, TextInput, Textarea } from '../../../ui/kit.ts'
import { snippetMessages as texts } from './messages.ts'
import { SNIPPET, type Snippet } from './snippets.ts'
import classes from './snippets.module.css'

interface SnippetFormProps {
  readonly snippet: Snippet
  /** @returns false when there are too many */
  readonly onSave: (snippet: Snippet) => boolean
  readonly onBack: () => void
}

export function SnippetForm({ snippet, onSave, onBack }: SnippetFormProps) {
  const [draft, setDraft] = useState(snippet)
  const [wasTried, setTried] = useState(false)
  const [isFull, setFull] = useState(false)
  const hasName = draft.name.trim() !== ''
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (hasName && draft.text !== '') setFull(!onSave({ ...draft, name: draft.name.trim() }))
      }}
    >
      <Stack gap="md">
        {isFull ? (
          <Callout tone="warn" urgent>
            {texts.full}
          </Callout>
        ) : null}
        <TextInput
          label={texts.name}
          value={draft.name}
          maxLength={SNIPPET.name}
          autoComplete="off"
          data-autofocus
          error={wasTried && !hasName ? texts.nameRequired : undefined}
          onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
        />
        <Textarea
          className={classes['code'] ?? ''}
          label={texts.text}
          value={draft.text}
          maxLength={SNIPPET.text}
          rows={5}
          autoComplete="off"
          spellCheck={false}
          error={wasTried && draft.text === '' ? texts.textRequired : undefined}
          onChange={(event) => setDraft({ ...draft, text: event.currentTarget.value })}
        />
        <Checkbox
          label={texts.run}
          description={texts.runHint}
          checked={draft.runs}
          onChange={(event) => setDraft({ ...draft, runs: event.currentTarget.checked })}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onBack}>
            {texts.back}
          </Button>
          <Button type="submit">{texts.save}</Button>
        </Group>
      </Stack>
    </form>
  )
}
