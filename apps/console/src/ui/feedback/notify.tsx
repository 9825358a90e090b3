// Notifications about actions. Failures stay until closed: what failed, why, and a retry. Successes that can be undone
// show for a few seconds.
import { notifications } from '@mantine/notifications'
import { announce } from './announce.tsx'
import { describeError } from './describe-error.ts'
import { Button } from '../kit.ts'
import { uiMessages } from '../messages.ts'

/** A way to what would let a failed action succeed. */
export interface Remedy {
  readonly label: string
  readonly onClick: () => void
}

interface Failure {
  /** Sentence about the failure. */
  readonly title: string
  readonly error: unknown
  readonly onRetry?: () => void
  readonly remedy?: Remedy
}

/** Notifies of a failed action. A new failure replaces an older one with the same title. */
export function notifyFailure({ title, error, onRetry, remedy }: Failure): void {
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
        <Actions
          of={title}
          actions={[...(remedy ? [remedy] : []), ...(onRetry ? [{ label: uiMessages.retry, onClick: onRetry }] : [])]}
        />
      </>
    ),
  })
}

const NOTICE_MS = 5_000
/** The notification that shows the latest notice of an id. */
const notices = new Map<string, string>()

interface Notice {
  /** A new notice replaces an older one with the same id. */
  readonly id: string
  /** The event, as a heading. */
  readonly title: string
}

/** Notifies for a few seconds of something that happened without an action of the person. */
export function notifyOf({ id, title }: Notice): void {
  announce(title)
  const earlier = notices.get(id)
  if (earlier !== undefined) notifications.hide(earlier)
  // The announcement is what screen readers read.
  const role = 'none'
  const closeButtonProps = { 'aria-label': uiMessages.close }
  // An id of its own: with the earlier one's, it would close when that one is due.
  const shown = notifications.show({ title, role, color: 'sea', autoClose: NOTICE_MS, closeButtonProps, message: null })
  notices.set(id, shown)
}

const ENDED_MS = 12_000

/** Notifies of the end of something that ran meanwhile, with what can be done about it. */
export function notifyEnded({ id, title, actions }: Notice & { readonly actions: readonly Remedy[] }): void {
  announce(title)
  notifications.hide(id)
  notifications.show({
    id,
    title,
    color: 'sea',
    autoClose: ENDED_MS,
    closeButtonProps: { 'aria-label': uiMessages.close },
    message: <Actions of={id} actions={actions} />,
  })
}

/** Buttons of a notification, which close it. */
function Actions({ of, actions }: { readonly of: string; readonly actions: readonly Remedy[] }) {
  return (
    <div>
      {actions.map(({ label, onClick }) => (
        <Button
          key={label}
          variant="default"
          size="compact-sm"
          mt={6}
          me={6}
          onClick={() => {
            notifications.hide(of)
            onClick()
          }}
        >
          {label}
        </Button>
      ))}
    </div>
  )
}

const UNDO_MS = 8_000

type Undo = () => Promise<unknown>

/** One notification for several of the same kind, in place of as many. */
export interface Fold {
  /** The same for all that belong together. */
  readonly id: string
  /** Sentence for so many. */
  readonly title: (count: number) => string
}

interface Done {
  /** What was done. */
  readonly title: string
  /** Undoes it. Throws when it cannot; the failure is shown. */
  readonly onUndo?: Undo
  /** Joins those that are still shown: one undo takes all of them back. */
  readonly fold?: Fold | undefined
}

/** Folded notifications on the screen, by the id of their fold. */
const folded = new Map<string, { readonly shown: string; readonly undos: readonly Undo[] }>()
let folds = 0

/** Notifies of a completed action, with an undo where there is one. */
export function notifyDone({ title, onUndo, fold }: Done): void {
  announce(title)
  if (!onUndo) return
  if (!fold) {
    notifications.hide(title)
    showDone(title, title, onUndo)
    return
  }
  const earlier = folded.get(fold.id)
  const undos = [...(earlier?.undos ?? []), onUndo]
  // An id of its own: with the earlier one's, it would close when that one is due.
  const shown = `${fold.id} ${(folds += 1)}`
  folded.set(fold.id, { shown, undos })
  if (earlier) notifications.hide(earlier.shown)
  showDone(shown, undos.length === 1 ? title : fold.title(undos.length), undoOf(undos), () => {
    if (folded.get(fold.id)?.shown === shown) folded.delete(fold.id)
  })
}

/** Undoes all, and again those that failed. */
function undoOf(undos: readonly Undo[]): Undo {
  let left = undos
  return async () => {
    const tried = left
    const results = await Promise.allSettled(tried.map((undo) => undo()))
    left = tried.filter((_, index) => results[index]?.status === 'rejected')
    const refused = results.find((result) => result.status === 'rejected')
    if (refused) throw refused.reason
  }
}

function showDone(id: string, title: string, onUndo: Undo, onClose?: () => void): void {
  const undo = () => {
    notifications.hide(id)
    onUndo().catch((error: unknown) => notifyFailure({ title: uiMessages.undoFailed, error, onRetry: undo }))
  }
  notifications.show({
    id,
    title,
    color: 'sea',
    autoClose: UNDO_MS,
    closeButtonProps: { 'aria-label': uiMessages.close },
    ...(onClose ? { onClose } : {}),
    message: (
      <Button variant="default" size="compact-sm" mt={4} onClick={undo}>
        {uiMessages.undo}
      </Button>
    ),
  })
}

interface Before {
  /** What is about to happen. */
  readonly title: string
  readonly onUndo: () => void
}

/**
 * Notifies of what happens unless it is undone in time.
 * @returns hides the notification
 */
export function notifyBefore({ title, onUndo }: Before): () => void {
  announce(title)
  const id = notifications.show({
    title,
    // The announcement is what screen readers read.
    role: 'none',
    color: 'sea',
    autoClose: false,
    withCloseButton: false,
    message: (
      <Button variant="default" size="compact-sm" mt={4} onClick={onUndo}>
        {uiMessages.undo}
      </Button>
    ),
  })
  return () => notifications.hide(id)
}
