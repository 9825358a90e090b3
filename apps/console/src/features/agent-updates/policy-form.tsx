// Dialog that sets when and in which order agents are updated.
import { agentUpdates as operations } from '@bowline/contract/operations/fleet/agent-updates'
import { UpdatePolicy } from '@bowline/contract/schemas/fleet/agent-update'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { NativeSelect, TextInput } from '../../ui/kit.ts'
import { agentUpdateMessages as texts } from './messages.ts'
import { AGENT_UPDATES } from './queries.ts'

const Fields = z.object({
  mode: UpdatePolicy.shape.mode,
  canary_tag: z
    .string()
    .transform((text) => text.trim() || null)
    .pipe(UpdatePolicy.shape.canary_tag),
  /** Empty: at any time. */
  start: z.string().regex(/^(?:([01]\d|2[0-3]):[0-5]\d)?$/, texts.windowRule),
  minutes: z.string().regex(/^(?:[1-9]\d{0,2}|1[0-3]\d{2}|14[0-3]\d|1440)$/, texts.minutesRule),
})

export function clockTime(minutes: number): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

function windowOf(start: string, minutes: string): UpdatePolicy['window'] {
  if (start === '') return null
  const [hours = 0, rest = 0] = start.split(':').map(Number)
  return { start: hours * 60 + rest, minutes: Number(minutes) }
}

interface PolicyFormProps {
  readonly policy: UpdatePolicy
  readonly opened: boolean
  readonly onClose: () => void
}

export function PolicyForm({ policy, opened, onClose }: PolicyFormProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.changeTitle}>
      <Form policy={policy} onClose={onClose} />
    </Dialog>
  )
}

function Form({ policy, onClose }: Omit<PolicyFormProps, 'opened'>) {
  const { api } = useRuntime()
  const save = useAction({
    call: (body: UpdatePolicy) => api.call(operations.setPolicy, { body }),
    invalidates: [AGENT_UPDATES],
  })
  const form = useContractForm({
    schema: Fields,
    values: {
      mode: policy.mode,
      canary_tag: policy.canary_tag ?? '',
      start: policy.window === null ? '' : clockTime(policy.window.start),
      minutes: String(policy.window?.minutes ?? 120),
    },
    labels: texts.labels,
    async send({ mode, canary_tag, start, minutes }) {
      await save.send({ mode, canary_tag, window: windowOf(start, minutes) })
      onClose()
    },
  })
  return (
    <DialogForm form={form} failed={texts.changeFailed} submit={texts.save} onCancel={onClose}>
      <NativeSelect
        {...form.field('mode')}
        data={Object.entries(texts.modes).map(([value, label]) => ({ value, label }))}
      />
      <TextInput {...form.field('canary_tag')} description={texts.canaryHint} autoComplete="off" />
      <TextInput {...form.field('start')} description={texts.windowHint} placeholder="01:30" autoComplete="off" />
      <TextInput {...form.field('minutes')} inputMode="numeric" autoComplete="off" />
    </DialogForm>
  )
}
