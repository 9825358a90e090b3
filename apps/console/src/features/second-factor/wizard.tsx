// Adds an authenticator: the QR code, a code of the app, and the recovery codes if the account has none yet.
import { ApiError } from '@bowline/contract/client'
import { mfa } from '@bowline/contract/operations/mfa'
import { AuthenticatorName, type NewFactor } from '@bowline/contract/schemas/second-factor'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { z } from 'zod'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { Dialog, DialogForm } from '../../ui/feedback/dialog.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Loader, Stack, Text, TextInput } from '../../ui/kit.ts'
import { CopyField } from '../../ui/text/copy-field.tsx'
import { QrCode } from '../../ui/text/qr-code.tsx'
import { fieldErrors } from '../../ui/form/field-errors.ts'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { secondFactorMessages as texts } from './messages.ts'
import { SECOND_FACTOR, newFactorQuery, secondFactorQuery } from './queries.ts'
import classes from './second-factor.module.css'

interface WizardProps {
  readonly opened: boolean
  readonly onClose: () => void
  /** Called once the authenticator is added. @param codes recovery codes to show; [] if the account has some */
  readonly onAdded: (codes: readonly string[]) => void
}

export function Wizard({ opened, onClose, onAdded }: WizardProps) {
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.wizardTitle}>
      <Setup onClose={onClose} onAdded={onAdded} />
    </Dialog>
  )
}

type SetupProps = Pick<WizardProps, 'onClose' | 'onAdded'>

function Setup(props: SetupProps) {
  const { api } = useRuntime()
  const generated = useQuery(newFactorQuery(api))
  if (generated.error) {
    const { error, refetch } = generated
    return <ErrorPanel title={texts.generateFailed} error={error} onRetry={() => refetch()} />
  }
  return generated.data ? <SetupForm factor={generated.data} {...props} /> : <Loader size="sm" />
}

const Fields = z.object({
  name: AuthenticatorName,
  code: z.string().trim().min(1, 'is required').max(64),
  current_password: z.string().max(1_024),
})

function SetupForm({ factor, onClose, onAdded }: SetupProps & { readonly factor: NewFactor }) {
  const { api, session } = useRuntime()
  const hasPassword = usePerson()?.has_password === true
  /** The sign-in is too old to add a first factor without another proof. */
  const [isAsking, setAsking] = useState(false)
  const queryClient = useQueryClient()
  const [before] = useState(() => queryClient.getQueryData(secondFactorQuery(api).queryKey)?.authenticators.length ?? 0)
  const hasAnother = async (): Promise<boolean> => {
    const now = await queryClient.fetchQuery(secondFactorQuery(api)).catch(() => undefined)
    return (now?.authenticators.length ?? 0) > before
  }
  const enable = useAction({
    async call({ current_password: password, ...fields }: z.output<typeof Fields>) {
      const { secret, recovery_codes } = factor
      const proof = password === '' ? {} : { current_password: password }
      await api.call(mfa.enable, { body: { ...fields, ...proof, secret, recovery_codes } })
      await session.renew()
    },
    done: ({ name }) => texts.turnedOn(name),
    invalidates: [SECOND_FACTOR, ['account-activity']],
  })
  const form = useContractForm({
    losable: true,
    schema: Fields,
    values: { name: texts.defaultName, code: '', current_password: '' },
    labels: { name: texts.name, code: texts.code, ...(hasPassword ? { current_password: texts.currentPassword } : {}) },
    async send(fields) {
      try {
        await enable.send(fields)
      } catch (error) {
        // Without an answer the authenticator may have been added: its recovery codes must be shown all the same.
        if (!(error instanceof ApiError) && (await hasAnother())) return onAdded(factor.recovery_codes)
        if (fieldErrors(error, '').some(({ field }) => field.endsWith('current_password'))) setAsking(true)
        if (!(error instanceof ApiError) || error.code !== 'CODE_REFUSED') throw error
        form.form.setError('code', { message: texts.wrongCodeRule }, { shouldFocus: true })
        return
      }
      onAdded(factor.recovery_codes)
    },
  })
  return (
    <DialogForm form={form} failed={texts.wizardFailed} submit={texts.verify} onCancel={onClose}>
      <Text size="sm">{texts.wizardText}</Text>
      <div className={classes['qr']}>
        <QrCode text={factor.link} label={texts.qr} />
      </div>
      <Stack gap={4}>
        <Text size="sm" fw={550}>
          {texts.key}
        </Text>
        <CopyField text={factor.secret} what={texts.keyWhat} />
      </Stack>
      <TextInput {...form.field('name')} description={texts.nameHint} autoComplete="off" />
      <TextInput
        {...form.field('code')}
        description={texts.codeHint}
        autoComplete="one-time-code"
        inputMode="numeric"
      />
      {isAsking && hasPassword ? (
        <PasswordField
          {...form.field('current_password')}
          description={texts.currentPasswordHint}
          autoComplete="current-password"
        />
      ) : null}
    </DialogForm>
  )
}
