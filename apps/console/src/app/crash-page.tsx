// A page that threw while it was drawn or loaded.
import { useRouter } from '@tanstack/react-router'
import { isUnreachable } from '../session/connectivity.ts'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { FrontPage } from '../ui/front-page.tsx'
import { Page } from '../ui/page.tsx'
import { appMessages as texts } from './messages.ts'

interface CrashPageProps {
  readonly error: unknown
  readonly reset: () => void
}

export function CrashPage({ error, reset }: CrashPageProps) {
  const router = useRouter()
  const retry = () => {
    reset()
    void router.invalidate()
  }
  if (isUnreachable(error)) {
    return (
      <FrontPage title={texts.startFailed} heading={texts.startFailed}>
        <ErrorPanel title={texts.unreachable} error={error} onRetry={retry} />
      </FrontPage>
    )
  }
  return (
    <Page title={texts.crashed}>
      <ErrorPanel title={texts.crashedText} error={error} onRetry={retry} />
    </Page>
  )
}
