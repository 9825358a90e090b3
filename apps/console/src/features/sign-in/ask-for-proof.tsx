// Asks for a mail that links the account, in place of its password; shown where the server sends mail.
import { ApiError } from '@bowline/contract/client'
import { singleSignOn } from '@bowline/contract/operations/single-sign-on'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { Button } from '../../ui/kit.ts'
import { infoQuery } from '../instance/queries.ts'
import { signInMessages as texts } from './messages.ts'

interface AskForProofProps {
  /** Token of the proposal. */
  readonly token: string
  readonly onFailure: (error: unknown) => void
}

export function AskForProof({ token, onFailure }: AskForProofProps) {
  const { api } = useRuntime()
  const { data: info } = useQuery(infoQuery(api))
  const [answer, setAnswer] = useState<'sent' | 'refused' | 'gone'>()
  const [isPending, setPending] = useState(false)
  const ask = async () => {
    setPending(true)
    try {
      const { body } = await api.call(singleSignOn.sendProof, { body: { token } })
      setAnswer(body.sent ? 'sent' : 'refused')
    } catch (error) {
      if (error instanceof ApiError && error.code === 'UNAUTHORIZED') setAnswer('gone')
      else onFailure(error)
    } finally {
      setPending(false)
    }
  }
  if (info?.mail !== true) return null
  if (answer !== undefined) {
    return (
      <Callout tone={answer === 'sent' ? 'note' : 'warn'} urgent>
        {answer === 'gone' ? texts.refused.token : texts.proof[answer]}
      </Callout>
    )
  }
  return (
    <Button variant="default" fullWidth loading={isPending} onClick={() => void ask()}>
      {texts.proofAsk}
    </Button>
  )
}
