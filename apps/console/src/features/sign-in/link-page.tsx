// Page after a single sign-on whose address belongs to an existing account: its password proves that both are one person.
import { ApiError } from '@bowline/contract/client'
import { singleSignOn } from '@bowline/contract/operations/single-sign-on'
import { zodResolver } from '@hookform/resolvers/zod'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { Button, Stack } from '../../ui/kit.ts'
import { FrontPage } from '../../ui/page/front-page.tsx'
import { AskForProof } from './ask-for-proof.tsx'
import { signInMessages as texts } from './messages.ts'

const Proof = z.object({ password: z.string().min(1, texts.passwordRequired) })

interface LinkPageProps {
  /** One-use token of the proposal. */
  readonly token: string
  /** Called when the password was right, before a second factor. */
  readonly onProven: () => void
  /** Called when the person is signed in. */
  readonly onDone: () => void
}

export function LinkPage({ token, onProven, onDone }: LinkPageProps) {
  const { session } = useRuntime()
  const navigate = useNavigate()
  const [failure, setFailure] = useState<unknown>()
  const [notice, setNotice] = useState('')
  const { register, handleSubmit, formState, setError, setFocus } = useForm({
    resolver: zodResolver(Proof),
    defaultValues: { password: '' },
  })
  useEffect(() => setFocus('password'), [setFocus])
  const submit = handleSubmit(async ({ password }) => {
    setFailure(undefined)
    setNotice('')
    try {
      await session.enter(async (client) => (await client.call(singleSignOn.link, { body: { token, password } })).body)
      onProven()
      onDone()
    } catch (error) {
      const code = error instanceof ApiError ? error.code : undefined
      if (code === 'BAD_CREDENTIALS') {
        setError('password', { message: texts.badCredentials })
        setFocus('password', { shouldSelect: true })
      } else if (code === 'UNAUTHORIZED') setNotice(texts.refused.token)
      else if (code === 'MFA_REQUIRED') {
        onProven()
        await navigate({ to: '/sign-in' })
      } else setFailure(error)
    }
  })
  return (
    <FrontPage title={texts.linkTitle} heading={texts.linkHeading}>
      <form noValidate onSubmit={submit}>
        <Stack gap="md">
          <div>{texts.linkText}</div>
          {notice === '' ? null : (
            <Callout tone="warn" urgent>
              {notice}
            </Callout>
          )}
          {failure === undefined ? null : <ErrorPanel title={texts.failed} error={failure} />}
          <PasswordField
            label={texts.password}
            autoComplete="current-password"
            error={formState.errors.password?.message}
            {...register('password')}
          />
          <Button type="submit" fullWidth loading={formState.isSubmitting}>
            {texts.linkSubmit}
          </Button>
          <AskForProof token={token} onFailure={setFailure} />
          <a href="/sign-in">{texts.linkBack}</a>
        </Stack>
      </form>
    </FrontPage>
  )
}
