// Sign-in with a passkey alone: a button, and suggestions in the username field.
import { KeyRound } from 'lucide-react'
import { useRuntime } from '../../core/context.tsx'
import { Button } from '../../ui/kit.ts'
import { passkeyMessages as texts } from './messages.ts'
import { signInByPasskey } from './sign-in.ts'
import { useAutofill } from './use-autofill.ts'
import { useCeremony } from './use-ceremony.ts'

interface PasskeySignInProps {
  /** undefined: a new attempt begins. */
  readonly onFailure: (error: unknown) => void
}

export function PasskeySignIn({ onFailure }: PasskeySignInProps) {
  const runtime = useRuntime()
  const { isBusy, start } = useCeremony(async () => {
    onFailure(undefined)
    await signInByPasskey(runtime)
  }, onFailure)
  useAutofill({ enabled: !isBusy, onFailure })
  return (
    <Button
      variant="default"
      fullWidth
      loading={isBusy}
      leftSection={<KeyRound size={16} aria-hidden />}
      onClick={start}
    >
      {texts.signIn}
    </Button>
  )
}
