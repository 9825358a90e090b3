// Form of an alert rule. Condition and target are chosen once; an address is not shown again.
import {
  AlertBody,
  type AlertRule,
  ALERT_CONDITIONS,
  ALERT_TARGETS,
  HEALTH_CONDITIONS,
  type HealthCondition,
  brokenByThreshold,
} from '@bowline/contract/operations/fleet/alerts'
import { LIMITS } from '@bowline/contract/limits'
import { z } from 'zod'
import { DialogForm } from '../../ui/feedback/dialog.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { MultiSelect, NativeSelect, TextInput } from '../../ui/kit.ts'
import { useMembers } from '../namespaces/use-members.ts'
import { TagsField } from '../tags/tags-field.tsx'
import { FilterField } from './filter-field.tsx'
import { alertsMessages as texts } from './messages.ts'

const { shape } = AlertBody
const numberOf = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text))

const Fields = z
  .object({
    name: shape.name,
    condition: z.enum(ALERT_CONDITIONS),
    minutes: z.string().transform(numberOf).pipe(shape.minutes),
    devices: z.string().transform(numberOf).pipe(shape.devices.unwrap().unwrap()),
    threshold: z.string().transform(numberOf).pipe(shape.threshold.unwrap().unwrap()),
    tags: shape.tags.unwrap(),
    filter: shape.filter.unwrap(),
    target: z.enum(ALERT_TARGETS),
    url: z.string().trim(),
    recipients: shape.recipients.unwrap(),
  })
  .superRefine(({ condition, threshold }, issues) => {
    const message = healthOf(condition) && brokenByThreshold(condition, threshold)
    if (message) issues.addIssue({ code: 'custom', path: ['threshold'], message })
  })
  .transform(({ devices, threshold, url, recipients, ...fields }) => ({
    ...fields,
    devices: fields.condition === 'many-offline' ? devices : null,
    threshold: healthOf(fields.condition) ? threshold : null,
    url: fields.target === 'mail' || url === '' ? null : url,
    recipients: fields.target === 'mail' ? recipients : [],
  }))

/** Those by which the server itself finds trouble. */
const THRESHOLDS: Readonly<Record<HealthCondition, number>> = {
  disk: LIMITS.health.disk,
  memory: LIMITS.health.memory,
  load: LIMITS.health.load,
  latency: LIMITS.health.latencyMs,
}

/** The condition where it is about health, and so has a threshold. */
function healthOf(condition: AlertRule['condition']) {
  return HEALTH_CONDITIONS.find((one) => one === condition)
}

export type RuleFields = z.output<typeof Fields>

interface RuleFormProps {
  /** The rule that is changed; absent: a new one. */
  readonly rule?: AlertRule
  readonly send: (fields: RuleFields) => Promise<void>
  readonly onCancel: () => void
}

export function RuleForm({ rule, send, onCancel }: RuleFormProps) {
  const members = useMembers()
  const form = useContractForm({
    schema: Fields,
    values: {
      name: rule?.name ?? '',
      condition: rule?.condition ?? 'offline',
      minutes: String(rule?.minutes ?? 5),
      devices: String(rule?.devices ?? 10),
      threshold: String(rule?.threshold ?? THRESHOLDS.disk),
      tags: rule?.tags ?? [],
      filter: rule?.filter ?? '',
      target: rule?.target ?? 'webhook',
      url: '',
      recipients: rule?.recipients ?? [],
    },
    labels: texts.labels,
    send,
  })
  const { watch, setValue } = form.form
  const [condition, target, tags, filter, recipients] = watch(['condition', 'target', 'tags', 'filter', 'recipients'])
  const ofHealth = healthOf(condition)
  const conditionField = form.field('condition')
  const options = (choices: Readonly<Record<string, string>>) =>
    Object.entries(choices).map(([value, label]) => ({ value, label }))
  return (
    <DialogForm
      form={form}
      failed={rule ? texts.saveFailed : texts.addFailed}
      submit={rule ? texts.save : texts.add}
      onCancel={onCancel}
    >
      <TextInput {...form.field('name')} data-autofocus autoComplete="off" />
      {rule ? null : (
        <NativeSelect
          {...conditionField}
          data={options(texts.conditionChoices)}
          onChange={(event) => {
            void conditionField.onChange(event)
            const chosen = HEALTH_CONDITIONS.find((one) => one === event.currentTarget.value)
            if (chosen) setValue('threshold', String(THRESHOLDS[chosen]))
          }}
        />
      )}
      <TextInput {...form.field('minutes')} inputMode="numeric" autoComplete="off" />
      {condition === 'many-offline' ? (
        <TextInput {...form.field('devices')} inputMode="numeric" autoComplete="off" />
      ) : null}
      {ofHealth ? (
        <TextInput
          {...form.field('threshold')}
          description={texts.thresholdHints[ofHealth]}
          inputMode="decimal"
          autoComplete="off"
        />
      ) : null}
      <TagsField
        tags={tags ?? []}
        onChange={(next) => setValue('tags', next, { shouldDirty: true })}
        error={form.errorOf('tags')}
      />
      <FilterField
        filter={filter ?? ''}
        onChange={(next) => setValue('filter', next, { shouldDirty: true })}
        error={form.errorOf('filter')}
      />
      {rule ? null : <NativeSelect {...form.field('target')} data={options(texts.targetChoices)} />}
      {target === 'mail' ? (
        <MultiSelect
          label={texts.labels.recipients}
          description={texts.recipientsHint}
          value={[...(recipients ?? [])]}
          data={members.map(({ id, email }) => ({ value: id, label: email }))}
          error={form.errorOf('recipients')}
          searchable
          hidePickedOptions
          nothingFoundMessage={texts.noMember}
          onChange={(next) => setValue('recipients', next as RuleFields['recipients'], { shouldDirty: true })}
        />
      ) : (
        <TextInput
          {...form.field('url')}
          description={rule ? texts.urlKept : texts.urlHint}
          placeholder="https://hooks.example.com/bowline"
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </DialogForm>
  )
}
