// The dialog that asks for a second factor, or without one for the password, before a sensitive change; the call that
// needs it is then repeated.
import { useEffect } from 'react'
import { usePerson, useRuntime, useStore } from '../../core/context.tsx'
import { secondFactorMessages as texts } from '../../features/second-factor/messages.ts'
import { Dialog } from '../../ui/feedback/dialog.tsx'
import { Stack, Text } from '../../ui/kit.ts'
import { CodeProof } from './code-proof.tsx'
import { PasswordProof } from './password-proof.tsx'
import { ProviderProof } from './provider-proof.tsx'
import { WAYS } from './ways.ts'

export function FreshProofDialog() {
  const { proofs } = useRuntime()
  const isAsking = useStore(proofs.isAsking)
  const person = usePerson()
  const isSignedIn = person !== undefined
  const decline = () => proofs.settle(false)
  const accept = () => proofs.settle(true)
  useEffect(() => {
    if (!isSignedIn) proofs.settle(false)
  }, [isSignedIn, proofs])
  return (
    <Dialog opened={isAsking} onClose={decline} title={texts.proofTitle}>
      {person?.mfa === false ? (
        <Stack gap="md">
          <Text size="sm">{person.has_password ? texts.proofPasswordText : texts.proofSignInText}</Text>
          {person.has_password ? <PasswordProof onProven={accept} onCancel={decline} /> : <ProviderProof />}
        </Stack>
      ) : (
        <Stack gap="md">
          <Text size="sm">{texts.proofText}</Text>
          {WAYS.map(({ id, Way }) => (
            <Way key={id} onProven={accept} />
          ))}
          <CodeProof onProven={accept} onCancel={decline} />
        </Stack>
      )}
    </Dialog>
  )
}
