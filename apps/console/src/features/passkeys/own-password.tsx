// Accounts without a password, on the profile: removing it, and setting one again.
import { passkeys as operations } from '@bowline/contract/operations/passkeys'
import { Password } from '@bowline/contract/schemas/common'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Group, Stack, Text } from '../../ui/kit.ts'
import { passkeyMessages as texts } from './messages.ts'
import { passkeysQuery } from './queries.ts'

/** Passkeys that an account without a password needs at least. */
const NEEDED = 2

/** Removes the password; every session ends, this one too. */
export function PasswordRemoval() {
  const { api, session } = useRuntime()
  const list = useQuery(passkeysQuery(api))
  const [isAsking, setAsking] = useState(false)
  const remove = useAction({
    async call() {
      await api.call(operations.removePassword, {})
      await session.renew()
    },
    failed: texts.removePasswordFailed,
  })
  const isTooFew = (list.data?.length ?? 0) < NEEDED
  return (
    <Stack gap="xs" mt="md">
      <Text size="sm" fw={550}>
        {texts.password}
      </Text>
      <Text size="sm" c="dimmed">
        {texts.passwordText} {isTooFew ? texts.tooFew : ''}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" disabled={isTooFew} onClick={() => setAsking(true)}>
          {texts.removePassword}
        </Button>
      </Group>
      <Confirm
        opened={isAsking}
        title={texts.removePasswordTitle}
        action={texts.removePassword}
        onClose={() => setAsking(false)}
        onConfirm={() => void remove.run()}
      >
        <Text size="sm">{texts.removePasswordText}</Text>
      </Confirm>
    </Stack>
  )
}

const NewPassword = z.object({ password: Password })

/** Sets a password for an account that has none; every session ends, this one too. */
export function NewPasswordForm() {
  const { api, session } = useRuntime()
  const set = useAction({
    async call(body: z.output<typeof NewPassword>) {
      await api.call(operations.setPassword, { body })
      await session.renew()
    },
  })
  const form = useContractForm({
    losable: true,
    schema: NewPassword,
    values: { password: '' },
    labels: texts.labels,
    async send(body) {
      await set.send(body)
    },
  })
  return (
    <>
      <form noValidate onSubmit={(event) => void form.onSubmit(event)}>
        <Stack gap="md">
          {form.failure === undefined ? null : <ErrorPanel title={texts.setPasswordFailed} error={form.failure} />}
          <Text size="sm">{texts.setPasswordText}</Text>
          <PasswordField {...form.field('password')} description={texts.setPasswordHint} autoComplete="new-password" />
          <Group justify="flex-end">
            <Button type="submit" variant="default" loading={form.form.formState.isSubmitting}>
              {texts.setPassword}
            </Button>
          </Group>
        </Stack>
      </form>
    </>
  )
}
