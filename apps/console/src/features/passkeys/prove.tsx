// A fresh proof by passkey, for the dialog that asks for one.
import { passkeys } from '@bowline/contract/operations/passkeys'
import { useQuery } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Stack } from '../../ui/kit.ts'
import { askForPasskey, hasPasskeys } from './browser.ts'
import { passkeyMessages as texts } from './messages.ts'
import { passkeysQuery } from './queries.ts'
import { useCeremony } from './use-ceremony.ts'

interface PasskeyProofProps {
  /** Sensitive changes work now, for some minutes. */
  readonly onProven: () => void
}

/** Nothing for people without a passkey. */
export function PasskeyProof({ onProven }: PasskeyProofProps) {
  const { api } = useRuntime()
  const own = useQuery(passkeysQuery(api))
  const [failure, setFailure] = useState<unknown>()
  const { isBusy, start } = useCeremony(async () => {
    setFailure(undefined)
    const { body: options } = await api.call(passkeys.proveOptions, {})
    await api.call(passkeys.prove, { body: { credential: await askForPasskey(options) } })
    onProven()
  }, setFailure)
  if (!own.data?.length || !hasPasskeys()) return null
  return (
    <Stack gap="md">
      {failure === undefined ? null : <ErrorPanel title={texts.failed} error={failure} />}
      <Button data-autofocus loading={isBusy} leftSection={<KeyRound size={16} aria-hidden />} onClick={start}>
        {texts.use}
      </Button>
    </Stack>
  )
}
