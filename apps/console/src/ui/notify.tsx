// Failures of actions, shown until they are closed: what failed, why, and a way to try again.
import { notifications } from '@mantine/notifications'
import { describeError } from './describe-error.ts'
import { Button } from './kit.ts'
import { uiMessages } from './messages.ts'

interface Failure {
  /** What could not be done. */
  readonly title: string
  readonly error: unknown
  readonly onRetry?: () => void
}

/** Tells that an action failed. A new failure with the same title takes the place of the old one. */
export function notifyFailure({ title, error, onRetry }: Failure): void {
  const { cause, requestId } = describeError(error)
  notifications.hide(title)
  notifications.show({
    id: title,
    title,
    color: 'red',
    autoClose: false,
    closeButtonProps: { 'aria-label': uiMessages.close },
    message: (
      <>
        <span>{cause}</span>
        {requestId === '' ? null : (
          <>
            <br />
            <small>
              {uiMessages.requestId} <code>{requestId}</code>
            </small>
          </>
        )}
        {onRetry ? (
          <div>
            <Button
              variant="default"
              size="compact-sm"
              mt={6}
              onClick={() => {
                notifications.hide(title)
                onRetry()
              }}
            >
              {uiMessages.retry}
            </Button>
          </div>
        ) : null}
      </>
    ),
  })
}
