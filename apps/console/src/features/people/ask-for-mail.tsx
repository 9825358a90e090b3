// A form that asks for a mail by a name. The answer is the same whether or not the name has an account.
import { useState } from 'react'
import { z } from 'zod'
import { useAction } from '../../core/use-action.ts'
import { announce } from '../../ui/feedback/announce.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Stack, TextInput } from '../../ui/kit.ts'
import { peopleMessages as texts } from './messages.ts'

interface AskForMailProps {
  /** Filled in already. */
  readonly name: string
  readonly call: (name: string) => Promise<unknown>
  readonly submit: string
  readonly done: string
  readonly failed: string
  readonly variant: 'filled' | 'default'
}

const Named = z.object({ username: z.string().trim().min(1, texts.nameRequired).max(320) })

export function AskForMail({ name, call, submit, done, failed, variant }: AskForMailProps) {
  const [isDone, setDone] = useState(false)
  const ask = useAction({ call })
  const { form, field, failure, onSubmit } = useContractForm({
    losable: true,
    schema: Named,
    values: { username: name },
    labels: { username: texts.name },
    async send({ username }) {
      setDone(false)
      await ask.send(username)
      setDone(true)
      announce(done)
    },
  })
  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)}>
      <Stack gap="md">
        {failure === undefined ? null : <ErrorPanel title={failed} error={failure} />}
        {isDone ? <Callout tone="note">{done}</Callout> : null}
        <TextInput {...field('username')} autoComplete="username" autoCapitalize="none" spellCheck={false} />
        <Button type="submit" variant={variant} fullWidth loading={form.formState.isSubmitting}>
          {submit}
        </Button>
      </Stack>
    </form>
  )
}
