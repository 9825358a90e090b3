// Form of a snippet of the namespace, for a new one and for a change.
import { type SharedSnippet, SnippetBody } from '@bowline/contract/operations/fleet/snippets'
import { LIMITS } from '@bowline/contract/limits'
import type { z } from 'zod'
import { DialogForm } from '../../ui/feedback/dialog.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { TextInput, Textarea } from '../../ui/kit.ts'
import { TagsField } from '../tags/tags-field.tsx'
import { sharedSnippetMessages as texts } from './messages.ts'
import classes from './shared-snippets.module.css'

export type SnippetFields = z.output<typeof SnippetBody>

interface SnippetFormProps {
  /** The snippet that is changed; absent: a new one. */
  readonly snippet?: SharedSnippet
  readonly send: (fields: SnippetFields) => Promise<void>
  readonly onCancel: () => void
}

export function SnippetForm({ snippet, send, onCancel }: SnippetFormProps) {
  const form = useContractForm({
    schema: SnippetBody,
    values: { name: snippet?.name ?? '', text: snippet?.text ?? '', tags: snippet?.tags ?? [] },
    labels: texts.labels,
    taken: texts.taken,
    send,
  })
  const tags = form.form.watch('tags')
  return (
    <DialogForm
      form={form}
      failed={snippet ? texts.saveFailed : texts.addFailed}
      submit={snippet ? texts.save : texts.add}
      onCancel={onCancel}
    >
      <TextInput {...form.field('name')} data-autofocus autoComplete="off" maxLength={LIMITS.snippets.name} />
      <Textarea
        {...form.field('text')}
        description={texts.textHint}
        className={classes['code'] ?? ''}
        maxLength={LIMITS.snippets.text}
        rows={6}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <TagsField
        tags={tags ?? []}
        onChange={(next) => form.form.setValue('tags', next, { shouldDirty: true })}
        error={form.errorOf('tags')}
      />
    </DialogForm>
  )
}
