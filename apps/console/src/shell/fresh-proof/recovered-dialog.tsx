// Asks somebody who has signed in with a recovery code whether the authenticator is lost. The same code switches the
// second factor off for ten minutes.
import { mfa } from '@bowline/contract/operations/mfa'
import { useRuntime, useStore } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { secondFactorMessages as texts } from '../../features/second-factor/messages.ts'
import { SECOND_FACTOR } from '../../features/second-factor/queries.ts'
import { Confirm } from '../../ui/feedback/confirm.tsx'
import { Text } from '../../ui/kit.ts'

export function RecoveredDialog() {
  const { api, session, usedRecoveryCode } = useRuntime()
  const code = useStore(usedRecoveryCode)
  const disable = useAction({
    async call(recovery_code: string) {
      await api.call(mfa.disable, { body: { recovery_code } })
      await session.renew()
    },
    done: texts.turnedOff,
    failed: texts.turnOffFailed,
    invalidates: [SECOND_FACTOR, ['account-activity']],
  })
  return (
    <Confirm
      opened={code !== ''}
      title={texts.recoveredTitle}
      action={texts.turnOff}
      onClose={() => usedRecoveryCode.set('')}
      onConfirm={() => void disable.run(code)}
    >
      <Text size="sm">{texts.recoveredText}</Text>
    </Confirm>
  )
}
