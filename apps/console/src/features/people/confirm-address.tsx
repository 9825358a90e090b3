// Asks whether to confirm an address. The link alone must not: programs follow the links of mails, and the mail may
// come from a stranger's request, who would get an account with the address.
import { ApiError } from '@bowline/contract/client'
import { users } from '@bowline/contract/operations/users'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { useAction } from '../../core/use-action.ts'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Stack, Text } from '../../ui/kit.ts'
import classes from './confirm-address.module.css'
import { peopleMessages as texts } from './messages.ts'

/** After these the link is of no use any more. */
export type Outcome = 'confirmed' | 'invalid' | 'name-taken' | 'closed'

const REFUSALS: Readonly<Record<number, Outcome>> = { 404: 'invalid', 409: 'name-taken', 403: 'closed' }

interface ConfirmAddressProps {
  readonly email: string
  readonly token: string
  readonly onEnd: (outcome: Outcome) => void
}

export function ConfirmAddress({ email, token, onEnd }: ConfirmAddressProps) {
  const { api, session } = useRuntime()
  const [failure, setFailure] = useState<unknown>()
  const confirm = useAction({ call: () => api.call(users.validateAccount, { query: { email, token } }) })
  async function start(): Promise<void> {
    setFailure(undefined)
    try {
      await confirm.send()
      onEnd('confirmed')
      // The session of this browser still names the earlier address if it is of the same account.
      if (session.state.get().kind === 'signed-in') await session.renew().catch(() => undefined)
    } catch (error) {
      const refusal = error instanceof ApiError ? REFUSALS[error.status] : undefined
      if (refusal) onEnd(refusal)
      else setFailure(error)
    }
  }
  return (
    <Stack gap="md">
      <Text fw={600} className={classes['address']}>
        {email}
      </Text>
      <Text size="sm">{texts.confirmOnlyOwn}</Text>
      {failure === undefined ? null : <ErrorPanel title={texts.validationFailed} error={failure} />}
      <Button fullWidth loading={confirm.isPending} onClick={() => void start()}>
        {texts.confirmSubmit}
      </Button>
    </Stack>
  )
}
