// Page of an invitation that is not known yet.
import { ErrorPanel } from '../../ui/feedback/error-panel.tsx'
import { FrontPage } from '../../ui/page/front-page.tsx'
import { Text } from '../../ui/kit.ts'
import { peopleMessages as texts } from './messages.ts'

interface InvitationLoadingProps {
  /** Failure of the call; null while it runs. */
  readonly error: unknown
  readonly onRetry: () => void
}

export function InvitationLoading({ error, onRetry }: InvitationLoadingProps) {
  return (
    <FrontPage title={texts.invitation} heading={texts.invitation}>
      {error ? (
        <ErrorPanel title={texts.loadFailed} error={error} onRetry={onRetry} />
      ) : (
        <Text size="sm" c="dimmed" component="output">
          {texts.loading}
        </Text>
      )}
    </FrontPage>
  )
}
