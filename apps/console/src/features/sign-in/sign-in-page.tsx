// Sign-in page: username and password, or an identity provider, as the server offers.
import { ApiError } from '@bowline/contract/client'
import { zodResolver } from '@hookform/resolvers/zod'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { z } from 'zod'
import { useRuntime } from '../../core/context.tsx'
import { announce } from '../../ui/feedback/announce.tsx'
import { useCountdown } from '../../ui/text/ticker.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { FrontPage } from '../../ui/page/front-page.tsx'
import { Button, Stack, TextInput } from '../../ui/kit.ts'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { infoQuery } from '../instance/queries.ts'
import { formatCountdown, lockoutEnd } from './lockout.ts'
import { signInMessages as texts } from './messages.ts'
import { SsoButton } from './sso-button.tsx'

const Credentials = z.object({
  username: z.string().trim().min(1, texts.usernameRequired),
  password: z.string().min(1, texts.passwordRequired),
})

interface SignInPageProps {
  /** The session of this tab expired. */
  readonly expired: boolean
}

export function SignInPage({ expired }: SignInPageProps) {
  const { api, session } = useRuntime()
  const info = useQuery(infoQuery(api))
  const [failure, setFailure] = useState<unknown>()
  const [lockedUntilMs, setLockedUntilMs] = useState(0)
  const leftMs = useCountdown(lockedUntilMs)
  const { register, handleSubmit, formState, setError, setFocus } = useForm({
    resolver: zodResolver(Credentials),
    defaultValues: { username: '', password: '' },
  })
  const locked = leftMs > 0
  const { local, saml } = info.data?.authentication ?? { local: true, saml: false }
  useEffect(() => setFocus('username'), [setFocus])
  const wasLocked = lockedUntilMs > 0 && !locked
  useEffect(() => {
    if (wasLocked) announce(texts.lockoutOver)
  }, [wasLocked])

  const submit = handleSubmit(async (credentials) => {
    setFailure(undefined)
    try {
      await session.signIn(credentials)
    } catch (error) {
      const lockedUntil = lockoutEnd(error)
      if (lockedUntil > 0) setLockedUntilMs(lockedUntil)
      else if (error instanceof ApiError && error.code === 'BAD_CREDENTIALS') {
        setError('password', { message: texts.badCredentials })
        setFocus('password', { shouldSelect: true })
      } else setFailure(error)
    }
  })

  if (info.data?.setup === false) {
    return (
      <FrontPage title={texts.notSetUp} heading={texts.notSetUp}>
        {texts.notSetUpText}
      </FrontPage>
    )
  }
  return (
    <FrontPage
      title={texts.title}
      heading={texts.heading}
      foot={info.data ? texts.server(location.host, info.data.version) : ''}
    >
      <form noValidate onSubmit={submit}>
        <Stack gap="md">
          {locked ? (
            <Callout tone="warn" urgent>
              {texts.lockedOut(formatCountdown(leftMs))}
            </Callout>
          ) : null}
          {expired && !locked && failure === undefined ? <Callout tone="note">{texts.expired}</Callout> : null}
          {failure === undefined ? null : <ErrorPanel title={texts.failed} error={failure} />}
          {local ? (
            <>
              <TextInput
                label={texts.username}
                autoComplete="username"
                autoCapitalize="none"
                spellCheck={false}
                error={formState.errors.username?.message}
                {...register('username')}
              />
              <PasswordField
                label={texts.password}
                autoComplete="current-password"
                error={formState.errors.password?.message}
                {...register('password')}
              />
              <Button type="submit" fullWidth loading={formState.isSubmitting} disabled={locked}>
                {texts.submit}
              </Button>
            </>
          ) : null}
          {saml ? <SsoButton onFailure={setFailure} /> : null}
        </Stack>
      </form>
    </FrontPage>
  )
}
