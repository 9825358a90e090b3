// Dialog that adds or edits a firewall rule.
import { LIMITS } from '@bowline/contract/limits'
import { firewall } from '@bowline/contract/operations/firewall'
import type { DryRun, DryRunBody } from '@bowline/contract/schemas/policy/dry-run'
import { type Rule, RuleBody } from '@bowline/contract/schemas/firewall'
import { Pattern } from '@bowline/contract/schemas/tag'
import { z } from 'zod'
import { useState } from 'react'
import { useMay, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, NativeSelect, Switch, TextInput } from '../../ui/kit.ts'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { DeviceChoiceFields } from '../tags/device-choice-fields.tsx'
import { deviceChoiceFields, checkChoice, setDeviceChoice, toChoice, toFilter } from '../tags/device-choice.ts'
import { ANY, PatternField } from '../tags/pattern-field.tsx'
import { useRuleActions } from './actions.ts'
import { firewallMessages as texts } from './messages.ts'
import { topPriority } from './order.ts'
import { DryRunResult } from './dry-run.tsx'
import type { LockoutGuard } from './use-lockout-guard.tsx'
import { SourceField } from './source-field.tsx'
import { SubjectsField } from './subjects-field.tsx'
import { toChoices, toSubjects } from './subjects.ts'
import { checkSource, sourceFields, toRuleSource, toSource } from './source.ts'

interface RuleDialogProps {
  /** Index in the list; 'new' for a new rule; undefined: closed. */
  readonly edited: number | 'new' | undefined
  /** All rules, in order. */
  readonly rules: readonly Rule[]
  readonly guard: LockoutGuard
  readonly onClose: () => void
}

const Fields = z
  .object({
    // Nothing is chosen beforehand: a rule for everybody must not be saved by a single click.
    action: z.string().pipe(z.enum(['allow', 'deny'], 'is required')),
    active: z.boolean(),
    ...sourceFields,
    people: z.array(z.string()).max(LIMITS.policy.peoplePerRule),
    username: Pattern,
    priority: z
      .string()
      .regex(/^\d{1,10}$/, 'must be a whole number')
      .transform(Number)
      .pipe(RuleBody.shape.priority),
    ...deviceChoiceFields,
  })
  .superRefine(checkChoice)
  .superRefine(checkSource)

export function RuleDialog({ edited, rules, guard, onClose }: RuleDialogProps) {
  const title = typeof edited === 'number' ? texts.editTitle(edited + 1) : texts.addTitle
  return (
    <Dialog opened={edited !== undefined} onClose={onClose} title={title} size="lg">
      {edited === undefined ? null : (
        <Body
          rule={typeof edited === 'number' ? rules[edited] : undefined}
          rules={rules}
          guard={guard}
          onDone={onClose}
        />
      )}
    </Dialog>
  )
}

interface BodyProps {
  readonly rule: Rule | undefined
  readonly rules: readonly Rule[]
  readonly guard: LockoutGuard
  readonly onDone: () => void
}

/** The effect of a rule, or why it is not known. */
interface Tried {
  /** Values of the form that was tried, as JSON. */
  readonly form: string
  readonly result?: DryRun
  readonly failure?: unknown
}

function bodyOfForm(values: z.output<typeof Fields>): RuleBody {
  const { action, active, people, username, priority } = values
  const about = { username, ...toSubjects(people), ...toRuleSource(values), filter: toFilter(values) }
  return { action, active, priority, ...about }
}

function Body({ rule, rules, guard, onDone }: BodyProps) {
  const { api } = useRuntime()
  const mayTry = useMay('firewallEdit')
  const actions = useRuleActions()
  const may = useMay(rule ? 'firewallEdit' : 'firewallCreate')
  const form = useContractForm({
    schema: Fields,
    values: {
      action: rule?.action ?? '',
      active: rule?.active ?? true,
      ...toSource(rule),
      people: rule ? toChoices(rule) : [],
      username: rule?.username ?? ANY,
      priority: String(rule?.priority ?? topPriority(rules)),
      ...toChoice(rule?.filter ?? {}),
    },
    labels: texts.labels,
    async send(values) {
      const body = bodyOfForm(values)
      await (rule ? actions.save.send({ before: rule, body, done: texts.saved }) : actions.add.send(body))
      onDone()
    },
  })
  const { watch, getValues, setValue, clearErrors, handleSubmit } = form.form
  const changeOf = (values: z.output<typeof Fields>): DryRunBody => ({
    ...(rule ? { id: rule.id } : {}),
    rule: bodyOfForm(values),
  })
  const attempt = useAction({
    call: async (change: DryRunBody) => (await api.call(firewall.tryChange, { body: change })).body,
    failed: texts.dryRun.failed,
  })
  const [tried, setTried] = useState<Tried>()
  const tryOut = handleSubmit(async (values) => {
    const form = JSON.stringify(getValues())
    setTried(undefined)
    try {
      setTried({ form, result: await attempt.send(changeOf(values)) })
    } catch (failure) {
      setTried({ form, failure })
    }
  })
  // The effect of other values would mislead.
  const current = tried?.form === JSON.stringify(watch()) ? tried : undefined
  const onSubmit: typeof form.onSubmit = async (event) => {
    let goesOn = true
    await handleSubmit(async (values) => {
      goesOn = await guard.ask(changeOf(values))
    })(event)
    if (goesOn) await form.onSubmit(event)
  }
  return (
    <DialogForm
      form={{ ...form, onSubmit }}
      failed={texts.saveFailed}
      submit={rule ? texts.save : texts.add}
      onCancel={onDone}
      refused={may ? undefined : texts.roleTooLow}
    >
      <NativeSelect
        {...form.field('action')}
        data={[
          ...(rule ? [] : [{ value: '', label: texts.chooseAction }]),
          { value: 'allow', label: texts.actions.allow },
          { value: 'deny', label: texts.actions.deny },
        ]}
        data-autofocus
      />
      <SourceField
        value={watch()}
        errors={{ source_networks: form.errorOf('source_networks'), source_ip: form.errorOf('source_ip') }}
        onChange={({ source, source_networks, source_ip }) => {
          if (source !== undefined) setValue('source', source)
          if (source_networks !== undefined) setValue('source_networks', source_networks)
          if (source_ip !== undefined) setValue('source_ip', source_ip)
        }}
      />
      <SubjectsField
        value={watch('people')}
        error={form.errorOf('people')}
        onChange={(people) => setValue('people', people)}
      />
      <PatternField
        label={texts.labels.username}
        value={watch('username')}
        error={form.errorOf('username')}
        placeholder={texts.loginPlaceholder}
        onChange={(pattern) => {
          clearErrors('username')
          setValue('username', pattern)
        }}
      />
      <DeviceChoiceFields
        choice={watch()}
        errors={{ hostname: form.errorOf('hostname'), tags: form.errorOf('tags') }}
        patternHint={texts.patternHint}
        onChange={(change) => setDeviceChoice(setValue, change)}
      />
      <TextInput {...form.field('priority')} description={texts.priorityHint} inputMode="numeric" />
      <Switch
        label={texts.labels.active}
        checked={watch('active')}
        onChange={(event) => setValue('active', event.currentTarget.checked)}
      />
      {mayTry ? (
        <div>
          <Button variant="default" size="xs" loading={attempt.isPending} onClick={() => void tryOut()}>
            {texts.dryRun.button}
          </Button>
        </div>
      ) : null}
      {current?.failure === undefined ? null : <ErrorPanel title={texts.dryRun.failed} error={current.failure} />}
      {current?.result ? <DryRunResult result={current.result} rules={rules} /> : null}
    </DialogForm>
  )
}
