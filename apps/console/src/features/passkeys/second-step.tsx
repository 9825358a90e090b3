// The second step of a sign-in, by passkey: after the password, with the token of its answer.
import { ApiError } from '@bowline/contract/client'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Stack } from '../../ui/kit.ts'
import { passkeyMessages as texts } from './messages.ts'
import { signInByPasskey } from './sign-in.ts'
import { useCeremony } from './use-ceremony.ts'

interface PasskeyStepProps {
  /** Value of `X-MFA-Token`. */
  readonly token: string
  /** The person is signed in. */
  readonly onSignedIn?: () => void
}

/** A button that finishes the sign-in. */
export function PasskeyStep({ token, onSignedIn }: PasskeyStepProps) {
  const runtime = useRuntime()
  const [failure, setFailure] = useState<unknown>()
  const { isBusy, start } = useCeremony(async () => {
    setFailure(undefined)
    await signInByPasskey(runtime, token)
    onSignedIn?.()
  }, setFailure)
  return (
    <Stack gap="md">
      {failure === undefined ? null : <PasskeyError error={failure} />}
      <Button fullWidth loading={isBusy} leftSection={<KeyRound size={16} aria-hidden />} onClick={start}>
        {texts.use}
      </Button>
    </Stack>
  )
}

function PasskeyError({ error }: { readonly error: unknown }) {
  const isOver = error instanceof ApiError && error.code === 'PASSKEY_REFUSED'
  return <ErrorPanel title={texts.failed} error={isOver ? new Error(texts.refused) : error} />
}
