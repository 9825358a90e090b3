// Dialog of a tag rule, for a new one and for a change.
import { LIMITS } from '@bowline/contract/limits'
import { type TagRule, TagRuleBody } from '@bowline/contract/operations/fleet/tag-rules'
import { Callout } from '../../../ui/feedback/callout.tsx'
import { DialogForm } from '../../../ui/feedback/dialog.tsx'
import { useContractForm } from '../../../ui/form/use-contract-form.ts'
import { Switch, TextInput } from '../../../ui/kit.ts'
import { tagsMessages } from '../messages.ts'
import { useRuleActions } from './actions.ts'
import { ruleMessages as texts } from './messages.ts'
import { RuleEffect } from './rule-effect.tsx'

interface RuleFormProps {
  /** The rule that is changed; absent: a new one. */
  readonly rule?: TagRule
  readonly onDone: () => void
}

export function RuleForm({ rule, onDone }: RuleFormProps) {
  const { add, save } = useRuleActions()
  const form = useContractForm({
    schema: TagRuleBody,
    values: { tag: rule?.tag ?? '', query: rule?.query ?? '', active: rule?.active ?? true },
    labels: texts.labels,
    async send(body) {
      if (rule) await save.send({ before: rule, body })
      else await add.send(body)
      onDone()
    },
  })
  const [tag, query, active] = form.form.watch(['tag', 'query', 'active'])
  return (
    <DialogForm
      form={form}
      failed={rule ? texts.saveFailed : texts.addFailed}
      submit={rule ? texts.save : texts.create}
      onCancel={onDone}
    >
      <TextInput
        {...form.field('tag')}
        description={tagsMessages.nameHint}
        data-autofocus
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <TextInput
        {...form.field('query')}
        description={texts.queryHint}
        maxLength={LIMITS.tagRules.query}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <RuleEffect rule={rule} values={{ tag: tag ?? '', query: query ?? '', active: active ?? true }} />
      <Callout tone="note">{texts.trust}</Callout>
      <Switch
        label={texts.labels.active}
        checked={active ?? true}
        onChange={(event) => form.form.setValue('active', event.currentTarget.checked, { shouldDirty: true })}
      />
    </DialogForm>
  )
}
