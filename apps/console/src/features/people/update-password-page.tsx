// Landing of the link that sets a new password.
import { ApiError } from '@bowline/contract/client'
import { users } from '@bowline/contract/operations/users'
import { Password } from '@bowline/contract/schemas/common'
import { Link, getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { useContractForm } from '../../ui/form/use-contract-form.ts'
import { Button, Stack, Text } from '../../ui/kit.ts'
import { FrontPage } from '../../ui/page/front-page.tsx'
import { peopleMessages as texts } from './messages.ts'

const route = getRouteApi('/update-password')
const NewPassword = z.object({ password: Password })

export function UpdatePasswordPage() {
  const { id, token } = route.useSearch()
  const [state, setState] = useState<'open' | 'done' | 'expired'>(id && token ? 'open' : 'expired')
  if (state === 'done') {
    return (
      <FrontPage title={texts.update} heading={texts.updateDone}>
        <Stack>
          <Text size="sm" component="output">
            {texts.updateDoneText}
          </Text>
          <Link to="/sign-in">{texts.toSignIn}</Link>
        </Stack>
      </FrontPage>
    )
  }
  if (state === 'expired' || !id || !token) {
    return (
      <FrontPage title={texts.update} heading={texts.invalidLink}>
        <Stack>
          <Text size="sm" role="alert">
            {texts.updateExpired}
          </Text>
          <Link to="/forgot-password">{texts.forgot}</Link>
        </Stack>
      </FrontPage>
    )
  }
  return (
    <FrontPage title={texts.update} heading={texts.update} text={texts.updateText}>
      <UpdateForm id={id} token={token} onEnd={setState} />
    </FrontPage>
  )
}

interface UpdateFormProps {
  readonly id: string
  readonly token: string
  readonly onEnd: (state: 'done' | 'expired') => void
}

function UpdateForm({ id, token, onEnd }: UpdateFormProps) {
  const { api, session } = useRuntime()
  const set = useAction({
    call: ({ password }: z.output<typeof NewPassword>) =>
      api.call(users.resetPassword, { params: { uid: id }, body: { token, password } }),
  })
  const { form, field, failure, onSubmit } = useContractForm({
    losable: true,
    schema: NewPassword,
    values: { password: '' },
    labels: texts.labels,
    async send(body) {
      try {
        await set.send(body)
        onEnd('done')
        // The session of this browser has ended if it was of the same account.
        await session.renew().catch(() => undefined)
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404) throw error
        onEnd('expired')
      }
    },
  })
  return (
    <form noValidate onSubmit={(event) => void onSubmit(event)}>
      <Stack gap="md">
        {failure === undefined ? null : <ErrorPanel title={texts.updateFailed} error={failure} />}
        <PasswordField {...field('password')} description={texts.passwordHint} autoComplete="new-password" />
        <Button type="submit" fullWidth loading={form.formState.isSubmitting}>
          {texts.updateSubmit}
        </Button>
      </Stack>
    </form>
  )
}
