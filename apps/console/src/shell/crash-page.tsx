// Error boundary page: a page failed to render or to load.
import { useRouter } from '@tanstack/react-router'
import { isUnreachable } from '../auth/connectivity.ts'
import { PageNotLoaded } from '../platform/page-files.ts'
import { ErrorPanel } from '../ui/feedback/error-panel.tsx'
import { FrontPage } from '../ui/page/front-page.tsx'
import { Page } from '../ui/page/page.tsx'
import { usePerson } from '../core/context.tsx'
import { appMessages as texts } from '../core/messages.ts'

interface CrashPageProps {
  readonly error: unknown
  readonly reset: () => void
}

export function CrashPage({ error, reset }: CrashPageProps) {
  const router = useRouter()
  // The navigation around it still works.
  const isInside = usePerson() !== undefined
  const retry = () => {
    reset()
    void router.invalidate()
  }
  const isUpdated = error instanceof PageNotLoaded && error.reason === 'updated'
  const isUnloaded = error instanceof PageNotLoaded || isUnreachable(error)
  if (isUpdated) {
    return (
      <Page title={texts.unloaded}>
        <ErrorPanel
          title={texts.updatedText}
          error={error}
          onRetry={() => location.reload()}
          retryLabel={texts.reload}
        />
      </Page>
    )
  }
  if (isUnloaded && !isInside) {
    return (
      <FrontPage title={texts.startFailed} heading={texts.startFailed}>
        <ErrorPanel title={texts.unreachable} error={error} onRetry={retry} />
      </FrontPage>
    )
  }
  return (
    <Page title={isUnloaded ? texts.unloaded : texts.crashed}>
      <ErrorPanel title={isUnloaded ? texts.unloadedText : texts.crashedText} error={error} onRetry={retry} />
    </Page>
  )
}
