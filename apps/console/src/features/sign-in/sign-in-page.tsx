// Sign-in page: username and password, or an identity provider, as the server offers.
import { ApiError } from '@bowline/contract/client'
import { zodResolver } from '@hookform/resolvers/zod'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useForm } from 'react-hook-form'
import { z } from 'zod'
import { secondStepOf } from '../../auth/second-step.ts'
import { useRuntime } from '../../core/context.tsx'
import { announce } from '../../ui/feedback/announce.tsx'
import { useCountdown } from '../../ui/text/ticker.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { FrontPage } from '../../ui/page/front-page.tsx'
import { Button, Stack, TextInput } from '../../ui/kit.ts'
import { PasswordField } from '../../ui/form/password-field.tsx'
import { SecondStepPage } from '../second-factor/second-step.tsx'
import { hasPasskeys } from '../passkeys/browser.ts'
import { PasskeySignIn } from '../passkeys/passkey-sign-in.tsx'
import { infoQuery } from '../instance/queries.ts'
import { formatCountdown, lockoutEnd } from './lockout.ts'
import { signInMessages as texts } from './messages.ts'
import { SignOutThere } from './sign-out-there.tsx'
import { SsoButton } from './sso-button.tsx'

const Credentials = z.object({
  username: z.string().trim().min(1, texts.usernameRequired),
  password: z.string().min(1, texts.passwordRequired),
})

interface SignInPageProps {
  /** The session of this tab expired. */
  readonly expired: boolean
  /** Why a single sign-on did not work, or ''. */
  readonly notice: string
  /** Page to open afterwards. */
  readonly next: string | undefined
}

export function SignInPage({ expired, notice, next }: SignInPageProps) {
  const { api, session } = useRuntime()
  const navigate = useNavigate()
  const info = useQuery(infoQuery(api))
  const [failure, setFailure] = useState<unknown>()
  /** A sign-in that waits for its second step. */
  const [pending, setPending] = useState(() => session.takeSecondStep())
  const [tookTooLong, setTookTooLong] = useState(false)
  const [lockedUntilMs, setLockedUntilMs] = useState(0)
  const leftMs = useCountdown(lockedUntilMs)
  const { register, handleSubmit, formState, setError, setFocus, resetField } = useForm({
    resolver: zodResolver(Credentials),
    defaultValues: { username: '', password: '' },
  })
  const locked = leftMs > 0
  const methods = info.data?.authentication
  const { local, saml, openid, passkeys } = methods ?? { local: true, saml: false, openid: [], passkeys: false }
  useEffect(() => {
    if (pending === undefined) setFocus('username')
  }, [setFocus, pending])
  const wasLocked = lockedUntilMs > 0 && !locked
  useEffect(() => {
    if (wasLocked) announce(texts.lockoutOver)
  }, [wasLocked])

  const submit = handleSubmit(async (credentials) => {
    setFailure(undefined)
    setTookTooLong(false)
    try {
      await session.signIn(credentials)
    } catch (error) {
      const lockedUntil = lockoutEnd(error)
      const step = secondStepOf(error)
      if (step) setPending(step)
      else if (lockedUntil > 0) setLockedUntilMs(lockedUntil)
      else if (error instanceof ApiError && error.code === 'BAD_CREDENTIALS') {
        setError('password', { message: texts.badCredentials })
        setFocus('password', { shouldSelect: true })
      } else if (error instanceof ApiError && error.code === 'EMAIL_UNCONFIRMED') {
        await navigate({ to: '/confirm-account', search: { username: credentials.username } })
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
  if (pending !== undefined) {
    return (
      <SecondStepPage
        step={pending}
        passkeys={passkeys && hasPasskeys()}
        onBack={(isExpired) => {
          setPending(undefined)
          setTookTooLong(isExpired)
          resetField('password')
        }}
      />
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
          {tookTooLong ? (
            <Callout tone="note" urgent>
              {texts.tookTooLong}
            </Callout>
          ) : null}
          {expired && !tookTooLong && !locked && failure === undefined ? (
            <Callout tone="note">{texts.expired}</Callout>
          ) : null}
          <SignOutThere providers={openid} />
          {notice !== '' && failure === undefined ? (
            <Callout tone="warn" urgent>
              {notice}
            </Callout>
          ) : null}
          {failure === undefined ? null : <ErrorPanel title={texts.failed} error={failure} />}
          {local ? (
            <>
              <TextInput
                label={texts.username}
                autoComplete={passkeys ? 'username webauthn' : 'username'}
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
          {passkeys && hasPasskeys() ? <PasskeySignIn onFailure={setFailure} /> : null}
          {saml ? <SsoButton next={next} onFailure={setFailure} /> : null}
          {openid.map((provider) => (
            <SsoButton key={provider.id} provider={provider} next={next} onFailure={setFailure} />
          ))}
          {local ? <Link to="/forgot-password">{texts.forgot}</Link> : null}
          {info.data?.registration === 'open' ? <Link to="/sign-up">{texts.signUp}</Link> : null}
        </Stack>
      </form>
    </FrontPage>
  )
}
