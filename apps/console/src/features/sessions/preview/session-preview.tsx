// The preview of a session's recording: its last screen, and in a few words what was done. Loaded when somebody asks for
// it, as everybody who sees one is named in the audit log.
import type { Session } from '@bowline/contract/schemas/session'
import { useQuery } from '@tanstack/react-query'
import { useRuntime } from '../../../core/context.tsx'
import { ErrorPanel } from '../../../ui/feedback/error-panel.tsx'
import { Loader, Popover } from '../../../ui/kit.ts'
import { formatDuration } from '../../../ui/text/numbers.ts'
import { durationOf } from '../duration.ts'
import { sessionsMessages } from '../messages.ts'
import { PlayLink } from '../actions/play-link.tsx'
import { nameOf } from '../session-name.ts'
import { formatClock } from '../../../ui/text/clock.ts'
import { useNow } from '../../../ui/text/ticker.ts'
import { previewQuery } from '../queries.ts'
import { previewMessages as texts } from './messages.ts'
import classes from './preview.module.css'
import { ScreenPicture } from '../../screens/screen-picture.tsx'

interface SessionPreviewProps {
  readonly session: Session
  /** It was pressed for: the focus moves in. Otherwise the pointer is over its button. */
  readonly pressed: boolean
  /** The pointer is over it, or has left it. */
  readonly onPointer: (isOver: boolean) => void
}

export function SessionPreview({ session, pressed, onPointer }: SessionPreviewProps) {
  return (
    <Popover
      opened
      position="bottom-start"
      width="min(24rem, calc(100vw - 1.25rem))"
      shadow="md"
      trapFocus={pressed}
      closeOnClickOutside={false}
      // Its button has them: the target is only its place.
      withRoles={false}
    >
      <Popover.Target>
        <span className={classes['anchor']} />
      </Popover.Target>
      <Popover.Dropdown
        data-preview
        // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role -- the element is the kit's
        role="dialog"
        aria-label={sessionsMessages.previewOf(nameOf(session))}
        onPointerEnter={() => onPointer(true)}
        onPointerLeave={() => onPointer(false)}
      >
        <div className={classes['preview']}>
          <Contents session={session} />
          {/* There from the beginning, for the focus. */}
          <PlayLink session={session} />
        </div>
      </Popover.Dropdown>
    </Popover>
  )
}

function Contents({ session }: { readonly session: Session }) {
  const { api } = useRuntime()
  const seat = session.events.seats[0] ?? 0
  const preview = useQuery(previewQuery(api, session.uid, seat))
  const now = useNow()
  if (preview.isPending) {
    return (
      <div className={classes['waiting']}>
        <Loader size="sm" aria-label={texts.loading} />
      </div>
    )
  }
  if (!preview.data) {
    return <ErrorPanel title={sessionsMessages.previewFailed} error={preview.error} onRetry={() => preview.refetch()} />
  }
  const { state, indexed, commands, files, screen } = preview.data
  return (
    <>
      {screen === null ? (
        <p className={classes['note']}>{state === 'recording' ? texts.running : texts.preparing}</p>
      ) : screen.length === 0 ? (
        <p className={classes['note']}>{texts.empty}</p>
      ) : (
        <div className={classes['screen']}>
          <ScreenPicture sizes={screen} label={texts.screen} />
        </div>
      )}
      <ul className={classes['facts']}>
        {indexed ? <li>{texts.lasts(formatDuration(durationOf(session, now)))}</li> : null}
        {commands.total > 0 ? <li>{texts.commands(commands.total)}</li> : null}
        {files > 0 ? <li>{texts.files(files)}</li> : null}
      </ul>
      {commands.last.length > 0 ? (
        <ol className={classes['commands']} aria-label={texts.lastCommands}>
          {commands.last.map(({ time, text }) => (
            <li key={`${time} ${text}`}>
              <span className={classes['time']}>{formatClock(time * 1_000)}</span>
              <code title={text}>{text}</code>
            </li>
          ))}
        </ol>
      ) : null}
      {screen === null ? null : <p className={classes['note']}>{texts.noted}</p>}
    </>
  )
}
