// Results of actions. Failures stay until they are closed: what failed, why, and a way to try again. What worked and can
// be taken back is told for a few seconds.
import { notifications } from '@mantine/notifications'
import { announce } from './announce.tsx'
import { describeError } from './describe-error.ts'
import { Button } from '../kit.ts'
import { uiMessages } from '../messages.ts'

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

const UNDO_MS = 8_000

interface Done {
  /** What was done. */
  readonly title: string
  /** Takes it back. Throws when it cannot; that is shown. */
  readonly onUndo?: () => Promise<unknown>
}

/** Tells that an action worked, with a way back where there is one. */
export function notifyDone({ title, onUndo }: Done): void {
  announce(title)
  if (!onUndo) return
  const undo = () => {
    notifications.hide(title)
    onUndo().catch((error: unknown) => notifyFailure({ title: uiMessages.undoFailed, error, onRetry: undo }))
  }
  notifications.hide(title)
  notifications.show({
    id: title,
    title,
    color: 'sea',
    autoClose: UNDO_MS,
    closeButtonProps: { 'aria-label': uiMessages.close },
    message: (
      <Button variant="default" size="compact-sm" mt={4} onClick={undo}>
        {uiMessages.undo}
      </Button>
    ),
  })
}
