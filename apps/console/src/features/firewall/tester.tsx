// Tests whether a person may reach a device and which rule decides; evaluated by the server's own rule engine.
import { firewall } from '@bowline/contract/operations/firewall'
import { UserId } from '@bowline/contract/schemas/common'
import { AttemptBody, type Rule, type Verdict } from '@bowline/contract/schemas/firewall'
import { useState } from 'react'
import { z } from 'zod'
import { useMay, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, NativeSelect, Stack, Text, TextInput, Title } from '../../ui/kit.ts'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { useMembers } from '../namespaces/use-members.ts'
import { DevicePicker } from '../../core/devices/device-picker.tsx'
import { firewallMessages as texts } from './messages.ts'
import classes from './firewall.module.css'

/** Nobody chosen: nobody is known. */
const Fields = AttemptBody.extend({ person: z.string() })

interface TesterProps {
  /** All rules, in order. */
  readonly rules: readonly Rule[]
  readonly onVerdict: (verdict: Verdict | undefined) => void
}

export function Tester({ rules, onVerdict }: TesterProps) {
  const { api } = useRuntime()
  const may = useMay('firewallEdit')
  const members = useMembers()
  const [verdict, setVerdict] = useState<Verdict>()
  const evaluate = useAction({
    async call({ person, ...attempt }: z.output<typeof Fields>) {
      const body = person === '' ? attempt : { ...attempt, person: UserId.parse(person) }
      return (await api.call(firewall.evaluate, { body })).body
    },
    done: (_, next) => sentence(next, rules),
  })
  const form = useContractForm({
    losable: true,
    schema: Fields,
    values: { username: 'root', address: '', person: '', device: '' },
    labels: texts.testerLabels,
    async send(body) {
      const next = await evaluate.send(body)
      setVerdict(next)
      onVerdict(next)
    },
  })
  const { watch, setValue } = form.form
  const forget = () => {
    setVerdict(undefined)
    onVerdict(undefined)
  }
  return (
    <section aria-label={texts.tester} className={classes['tester']}>
      <Title order={2}>{texts.tester}</Title>
      <Text size="sm" c="dimmed" mb="sm">
        {may ? texts.testerText : texts.testerRole}
      </Text>
      {may ? (
        <form noValidate onSubmit={(event) => void form.onSubmit(event)} onChange={forget}>
          <Stack gap="sm">
            {form.failure === undefined ? null : <ErrorPanel title={texts.testFailed} error={form.failure} />}
            <TextInput {...form.field('username')} autoComplete="off" autoCapitalize="none" spellCheck={false} />
            <TextInput
              {...form.field('address')}
              placeholder="203.0.113.7"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
            <NativeSelect
              {...form.field('person')}
              data={[
                { value: '', label: texts.testerUnknown },
                ...members.map(({ id, email }): { value: string; label: string } => ({ value: id, label: email })),
              ]}
            />
            <DevicePicker
              label={texts.testerLabels.device}
              uid={watch('device')}
              error={form.errorOf('device') === null ? null : texts.noDevice}
              onPick={(uid) => {
                forget()
                setValue('device', uid ?? '')
              }}
            />
            <Button type="submit" variant="default" loading={form.form.formState.isSubmitting}>
              {texts.test}
            </Button>
            {verdict ? (
              <div className={classes['verdict']} data-allow={verdict.allow || undefined}>
                {sentence(verdict, rules)}
              </div>
            ) : null}
          </Stack>
        </form>
      ) : null}
    </section>
  )
}

function sentence({ allow, rule }: Verdict, rules: readonly Rule[]): string {
  const index = rules.findIndex(({ id }) => id === rule)
  return `${allow ? texts.allowed : texts.denied} ${index < 0 ? texts.byNone : texts.byRule(index + 1)}`
}
