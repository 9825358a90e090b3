// Dialog of a tag rule, for a new one and for a change.
import { LIMITS } from '@bowline/contract/limits'
import { type TagRule, TagRuleBody, tagRules } from '@bowline/contract/operations/fleet/tag-rules'
import type { z } from 'zod'
import { useRuntime } from '../../../core/context.tsx'
import { useAction } from '../../../core/use-action.ts'
import { Callout } from '../../../ui/feedback/callout.tsx'
import { DialogForm } from '../../../ui/feedback/dialog.tsx'
import { useContractForm } from '../../../ui/form/use-contract-form.ts'
import { Switch, TextInput } from '../../../ui/kit.ts'
import { ruleMessages as texts } from './messages.ts'
import { TAG_RULES } from './queries.ts'

interface RuleFormProps {
  /** The rule that is changed; absent: a new one. */
  readonly rule?: TagRule
  readonly onDone: () => void
}

export function RuleForm({ rule, onDone }: RuleFormProps) {
  const { api } = useRuntime()
  const put = useAction({
    async call(body: z.output<typeof TagRuleBody>) {
      if (rule) await api.call(tagRules.update, { params: { id: rule.id }, body })
      else await api.call(tagRules.create, { body })
    },
    done: ({ tag }) => (rule ? texts.saved(tag) : texts.added(tag)),
    invalidates: [TAG_RULES, TAG_RULES.slice(0, 1)],
  })
  const form = useContractForm({
    schema: TagRuleBody,
    values: { tag: rule?.tag ?? '', query: rule?.query ?? '', active: rule?.active ?? true },
    labels: texts.labels,
    async send(body) {
      await put.send(body)
      onDone()
    },
  })
  return (
    <DialogForm
      form={form}
      failed={rule ? texts.saveFailed : texts.addFailed}
      submit={rule ? texts.save : texts.create}
      onCancel={onDone}
    >
      <TextInput {...form.field('tag')} data-autofocus autoComplete="off" autoCapitalize="none" spellCheck={false} />
      <TextInput
        {...form.field('query')}
        description={texts.queryHint}
        maxLength={LIMITS.tagRules.query}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Callout tone="note">{texts.trust}</Callout>
      <Switch
        label={texts.labels.active}
        checked={form.form.watch('active') ?? true}
        onChange={(event) => form.form.setValue('active', event.currentTarget.checked, { shouldDirty: true })}
      />
    </DialogForm>
  )
}
