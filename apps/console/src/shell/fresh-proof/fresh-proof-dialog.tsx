// The dialog that asks for a second factor, or without one for the password, before a sensitive change or view; the
// call that needs it is then repeated.
import { useEffect, useState } from 'react'
import type { ProofReason } from '../../auth/proof-requests.ts'
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
  const reason = useStore(proofs.reason)
  const person = usePerson()
  // While the dialog fades out it has no reason any more.
  const [shown, setShown] = useState<ProofReason>('change')
  if (reason !== undefined && reason !== shown) setShown(reason)
  const why = texts.proofTexts[shown]
  const isSignedIn = person !== undefined
  const decline = () => proofs.settle(false)
  const accept = () => proofs.settle(true)
  useEffect(() => {
    if (!isSignedIn) proofs.settle(false)
  }, [isSignedIn, proofs])
  return (
    <Dialog opened={reason !== undefined} onClose={decline} title={texts.proofTitle}>
      {person?.mfa === false ? (
        <Stack gap="md">
          <Text size="sm">{person.has_password ? why.password : why.signIn}</Text>
          {person.has_password ? <PasswordProof onProven={accept} onCancel={decline} /> : <ProviderProof />}
        </Stack>
      ) : (
        <Stack gap="md">
          <Text size="sm">{why.factor}</Text>
          {WAYS.map(({ id, Way }) => (
            <Way key={id} onProven={accept} />
          ))}
          <CodeProof onProven={accept} onCancel={decline} />
        </Stack>
      )}
    </Dialog>
  )
}
