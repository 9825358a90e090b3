// Second step of a sign-in, after the password.
import { ApiError } from '@bowline/contract/client'
import { mfa } from '@bowline/contract/operations/mfa'
import { Link } from '@tanstack/react-router'
import type { SecondStep } from '../../auth/second-step.ts'
import { useRuntime } from '../../core/context.tsx'
import { callTimeout } from '../../platform/call-timeout.ts'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Button, Group, Stack } from '../../ui/kit.ts'
import { FrontPage } from '../../ui/page/front-page.tsx'
import { PasskeyStep } from '../passkeys/second-step.tsx'
import { CodeForm } from './code-form.tsx'
import { secondFactorMessages as texts } from './messages.ts'

interface SecondStepPageProps {
  readonly step: SecondStep
  /** True if passkeys work under this address. */
  readonly passkeys: boolean
  /** Back to the password. @param expired the token is not valid any more */
  readonly onBack: (expired: boolean) => void
}

export function SecondStepPage({ step, passkeys, onBack }: SecondStepPageProps) {
  const { token, code, recoveryCode } = step
  const { session, usedRecoveryCode } = useRuntime()
  return (
    <FrontPage title={texts.stepTitle} heading={texts.stepHeading} text={texts.stepText}>
      <Stack gap="md">
        {step.passkey && passkeys ? <PasskeyStep token={token} /> : null}
        {step.passkey && !passkeys ? <Callout tone="note">{texts.stepNoPasskeys}</Callout> : null}
        <CodeForm
          code={code}
          recoveryCode={recoveryCode}
          submit={texts.stepSubmit}
          failed={texts.stepFailed}
          send={async (typed) => {
            try {
              await session.enter(
                async (client) =>
                  (await client.call(mfa.finishSession, { body: { token, ...typed }, signal: callTimeout() })).body,
              )
              if ('recovery_code' in typed) usedRecoveryCode.set(typed.recovery_code)
            } catch (error) {
              if (!(error instanceof ApiError) || error.code !== 'SECOND_FACTOR_EXPIRED') throw error
              onBack(true)
            }
          }}
        />
        <Group justify="space-between">
          <Button variant="subtle" onClick={() => onBack(false)}>
            {texts.back}
          </Button>
          <Link to="/lost-device">{texts.lost}</Link>
        </Group>
      </Stack>
    </FrontPage>
  )
}
