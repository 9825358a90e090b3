// Proof by the password, for people without a second factor.
import { mfa } from '@bowline/contract/operations/mfa'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { secondFactorMessages as texts } from '../../features/second-factor/messages.ts'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Group, Stack } from '../../ui/kit.ts'

interface PasswordProofProps {
  /** Called once the server has noted the proof. */
  readonly onProven: () => void
  readonly onCancel: () => void
}

const Fields = z.object({ current_password: z.string().min(1, 'is required').max(1_024) })

export function PasswordProof({ onProven, onCancel }: PasswordProofProps) {
  const { api } = useRuntime()
  const form = useContractForm({
    losable: true,
    schema: Fields,
    values: { current_password: '' },
    labels: { current_password: texts.proofPassword },
    async send(body) {
      await api.call(mfa.prove, { body })
      onProven()
    },
  })
  return (
    <form noValidate onSubmit={(event) => void form.onSubmit(event)}>
      <Stack gap="md">
        {form.failure === undefined ? null : <ErrorPanel title={texts.proofPasswordFailed} error={form.failure} />}
        <PasswordField {...form.field('current_password')} data-autofocus autoComplete="current-password" />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            {texts.cancel}
          </Button>
          <Button type="submit" loading={form.form.formState.isSubmitting}>
            {texts.proofSubmit}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
