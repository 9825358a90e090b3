// Page that the mails of a reset lead to: both codes switch the second factor off.
import { mfa } from '@bowline/contract/operations/mfa'
import { Link, getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Stack, TextInput } from '../../ui/kit.ts'
import { FrontPage } from '../../ui/page/front-page.tsx'
import { secondFactorMessages as texts } from './messages.ts'

const route = getRouteApi('/reset-mfa')
const Code = z.string().trim().min(1, 'is required').max(64)
const Fields = z.object({ main_email_code: Code, recovery_email_code: Code })

export function ResetPage() {
  const { id } = route.useSearch()
  return (
    <FrontPage title={texts.resetTitle} heading={texts.resetHeading} text={texts.resetText}>
      {id === undefined ? (
        <Stack gap="md">
          <Callout tone="warn">{texts.noId}</Callout>
          <Link to="/lost-device">{texts.askAgain}</Link>
        </Stack>
      ) : (
        <ResetForm id={id} />
      )}
    </FrontPage>
  )
}

function ResetForm({ id }: { readonly id: string }) {
  const { api } = useRuntime()
  /** The account as it is after the reset. */
  const [done, setDone] = useState<{ readonly hasPassword: boolean }>()
  const form = useContractForm({
    losable: true,
    schema: Fields,
    values: { main_email_code: '', recovery_email_code: '' },
    labels: { main_email_code: texts.mainCode, recovery_email_code: texts.recoveryMailCode },
    async send(body) {
      // The answer signs in a program; people sign in with their password afterwards.
      const { has_password: hasPassword } = (await api.call(mfa.reset, { params: { 'user-id': id }, body })).body
      setDone({ hasPassword })
    },
  })
  if (done) {
    return (
      <Stack gap="md">
        <Callout tone="note" urgent>
          {done.hasPassword ? texts.resetDone : texts.resetDoneNoPassword}
        </Callout>
        {done.hasPassword ? (
          <Link to="/sign-in">{texts.lostSignIn}</Link>
        ) : (
          <Link to="/forgot-password">{texts.setPassword}</Link>
        )}
      </Stack>
    )
  }
  return (
    <form noValidate onSubmit={(event) => void form.onSubmit(event)}>
      <Stack gap="md">
        {form.failure === undefined ? null : <ErrorPanel title={texts.resetFailed} error={form.failure} />}
        {(['main_email_code', 'recovery_email_code'] as const).map((name) => (
          <TextInput key={name} {...form.field(name)} autoComplete="off" autoCapitalize="none" spellCheck={false} />
        ))}
        <Button type="submit" fullWidth loading={form.form.formState.isSubmitting}>
          {texts.reset}
        </Button>
        <Link to="/lost-device">{texts.askAgain}</Link>
      </Stack>
    </form>
  )
}
