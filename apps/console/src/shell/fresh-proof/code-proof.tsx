// Proof by a code: of an authenticator app, or a recovery code.
import { mfa } from '@bowline/contract/operations/mfa'
import { useQuery } from '@tanstack/react-query'
import { useRuntime } from '../../core/context.tsx'
import { CodeForm } from '../../features/second-factor/code-form.tsx'
import { secondFactorMessages as texts } from '../../features/second-factor/messages.ts'
import { secondFactorQuery } from '../../features/second-factor/queries.ts'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Group, Skeleton } from '../../ui/kit.ts'

interface CodeProofProps {
  /** Called once the server has noted the proof. */
  readonly onProven: () => void
  readonly onCancel: () => void
}

/** A form for people with codes of any kind; for others the button that cancels. */
export function CodeProof({ onProven, onCancel }: CodeProofProps) {
  const { api } = useRuntime()
  const factor = useQuery(secondFactorQuery(api))
  if (factor.error) {
    return <ErrorPanel title={texts.loadFailed} error={factor.error} onRetry={() => factor.refetch()} />
  }
  if (!factor.data) return <Skeleton height={96} />
  const { authenticators, recovery_codes_left: left } = factor.data
  if (authenticators.length === 0 && left === 0) {
    return (
      <Group justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {texts.cancel}
        </Button>
      </Group>
    )
  }
  return (
    <CodeForm
      code={authenticators.length > 0}
      recoveryCode={left > 0}
      submit={texts.proofSubmit}
      failed={texts.proofFailed}
      onCancel={onCancel}
      send={async (typed) => {
        await api.call(mfa.prove, { body: typed })
        onProven()
      }}
    />
  )
}
