// Sends a test mail, with the settings in effect or with values that are not saved, and shows the answer.
import { mails } from '@bowline/contract/operations/mails'
import type { MailSettings, MailTestAnswer, MailTestBody } from '@bowline/contract/schemas/mail'
import { useState } from 'react'
import type { z } from 'zod'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { TextArea } from '../../ui/form/text-area.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Group, NativeSelect, Stack, TextInput } from '../../ui/kit.ts'
import { SectionCard } from '../../ui/page/section-card.tsx'
import { mailMessages as texts } from './messages.ts'
import { OUTBOX } from './queries.ts'
import { TestWithOthers, TestWithSettings, testBody } from './test-values.ts'
import classes from './mail.module.css'

export function MailTest({ settings }: { readonly settings: MailSettings }) {
  const [chosen, choose] = useState<'settings' | 'others'>('settings')
  const [answer, setAnswer] = useState<MailTestAnswer>()
  const { api } = useRuntime()
  const test = useAction({
    call: async (body: z.input<typeof MailTestBody>) => (await api.call(mails.test, { body })).body,
    invalidates: [OUTBOX],
  })
  const send = async (body: z.input<typeof MailTestBody>) => {
    setAnswer(undefined)
    setAnswer(await test.send(body))
  }
  return (
    <SectionCard title={texts.test} text={texts.testText}>
      <Stack gap="md" maw={560} onInput={() => setAnswer(undefined)}>
        {settings.enabled ? (
          <NativeSelect
            label={texts.testWith}
            value={chosen}
            data={[
              { value: 'settings', label: texts.testWithSettings },
              { value: 'others', label: texts.testWithOthers },
            ]}
            onChange={(event) => choose(event.currentTarget.value === 'others' ? 'others' : 'settings')}
          />
        ) : null}
        {settings.enabled && chosen === 'settings' ? (
          <WithSettings onSend={send} />
        ) : (
          <WithOthers settings={settings} onSend={send} />
        )}
        <output aria-label={texts.test}>{answer === undefined ? null : <Answer answer={answer} />}</output>
      </Stack>
    </SectionCard>
  )
}

interface FormProps {
  readonly onSend: (body: z.input<typeof MailTestBody>) => Promise<void>
}

function WithSettings({ onSend }: FormProps) {
  const to = usePerson()?.email ?? ''
  const form = useContractForm({
    losable: true,
    schema: TestWithSettings,
    values: { to },
    labels: texts.labels,
    send: onSend,
  })
  return (
    <form noValidate onSubmit={(event) => void form.onSubmit(event)}>
      <Stack gap="md">
        {form.failure === undefined ? null : <ErrorPanel title={texts.sendFailed} error={form.failure} />}
        <TextInput {...form.field('to')} type="email" autoComplete="off" />
        <Submit isPending={form.form.formState.isSubmitting} />
      </Stack>
    </form>
  )
}

function WithOthers({ settings, onSend }: FormProps & { readonly settings: MailSettings }) {
  const to = usePerson()?.email ?? ''
  const form = useContractForm({
    losable: true,
    schema: TestWithOthers,
    values: { to, url: '', from: settings.from, starttls: settings.starttls, name: '', ca: '' },
    labels: texts.labels,
    send: (values) => onSend(testBody(values)),
  })
  const { starttls, hints } = texts
  return (
    <form noValidate onSubmit={(event) => void form.onSubmit(event)}>
      <Stack gap="md">
        {form.failure === undefined ? null : <ErrorPanel title={texts.sendFailed} error={form.failure} />}
        <TextInput {...form.field('url')} description={hints.url} autoComplete="off" spellCheck={false} />
        <NativeSelect
          {...form.field('starttls')}
          data={(['required', 'opportunistic', 'off'] as const).map((value) => ({ value, label: starttls[value] }))}
        />
        <TextInput {...form.field('from')} autoComplete="off" spellCheck={false} />
        <TextInput {...form.field('name')} description={hints.name} autoComplete="off" spellCheck={false} />
        <TextArea {...form.field('ca')} description={hints.ca} rows={3} spellCheck={false} />
        <TextInput {...form.field('to')} type="email" autoComplete="off" />
        <Submit isPending={form.form.formState.isSubmitting} />
      </Stack>
    </form>
  )
}

function Submit({ isPending }: { readonly isPending: boolean }) {
  return (
    <Group>
      <Button type="submit" loading={isPending}>
        {texts.send}
      </Button>
    </Group>
  )
}

function Answer({ answer: { outcome, code, text } }: { readonly answer: MailTestAnswer }) {
  const isAccepted = outcome === 'accepted'
  return (
    <Callout tone={isAccepted ? 'note' : 'warn'} title={isAccepted ? texts.accepted : texts.notAccepted}>
      <span className={classes['answer']}>
        {code === 0 || text.startsWith(String(code)) ? text : `${texts.code(code)}. ${text}`}
      </span>
    </Callout>
  )
}
