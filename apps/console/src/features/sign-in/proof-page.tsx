// Page that a mailed link opens: it links an identity to the account that the mail went to, after a click.
import { ApiError } from '@bowline/contract/client'
import { singleSignOn } from '@bowline/contract/operations/single-sign-on'
import { useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { Callout } from '../../ui/feedback/callout.tsx'
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { Button, Stack } from '../../ui/kit.ts'
import { FrontPage } from '../../ui/page/front-page.tsx'
import { signInMessages as texts } from './messages.ts'

interface ProofPageProps {
  /** Token of the mailed link. */
  readonly proof: string
  /** Called when the person is signed in. */
  readonly onDone: () => void
}

export function ProofPage({ proof, onDone }: ProofPageProps) {
  const { session } = useRuntime()
  const [failure, setFailure] = useState<unknown>()
  const [isPending, setPending] = useState(false)
  const link = async () => {
    setFailure(undefined)
    setPending(true)
    try {
      await session.enter(
        async (client) => (await client.call(singleSignOn.linkByMail, { body: { token: proof } })).body,
      )
      onDone()
    } catch (error) {
      setPending(false)
      setFailure(error)
    }
  }
  const isRefused = failure instanceof ApiError && failure.code === 'UNAUTHORIZED'
  return (
    <FrontPage title={texts.linkTitle} heading={texts.linkHeading}>
      <Stack gap="md">
        <div>{texts.proofText}</div>
        {isRefused ? (
          <Callout tone="warn" urgent>
            {texts.proofRefused}
          </Callout>
        ) : null}
        {failure === undefined || isRefused ? null : <ErrorPanel title={texts.failed} error={failure} />}
        <Button fullWidth loading={isPending} onClick={() => void link()}>
          {texts.linkSubmit}
        </Button>
        <a href="/sign-in">{texts.linkBack}</a>
      </Stack>
    </FrontPage>
  )
}
