// Session events, to jump to where there is a screen.
import { Text } from '../../../ui/kit.ts'
import { playerMessages as texts } from '../messages.ts'
import classes from '../player.module.css'
import type { SessionMark } from '../engine/session-marks.ts'
import { formatClock } from '../../../ui/text/clock.ts'

interface MarksPanelProps {
  readonly marks: readonly SessionMark[]
  /** Text without any; default: that of a terminal. */
  readonly empty?: string
  /** Absent where nothing can be played. */
  readonly onJump?: (ms: number) => void
}

export function MarksPanel({ marks, empty = texts.noEvents, onJump }: MarksPanelProps) {
  if (marks.length === 0) return <Text c="dimmed">{empty}</Text>
  return (
    <ol className={classes['list']}>
      {marks.map(({ atMs, type, what }, number) => (
        // oxlint-disable-next-line react/no-array-index-key -- marks are append-only
        <li key={number}>
          {onJump ? (
            <button type="button" className={classes['entry']} onClick={() => onJump(atMs)}>
              <Mark atMs={atMs} type={type} what={what} />
            </button>
          ) : (
            <div className={classes['entry']}>
              <Mark atMs={atMs} type={type} what={what} />
            </div>
          )}
        </li>
      ))}
    </ol>
  )
}

function Mark({ atMs, type, what }: SessionMark) {
  return (
    <>
      <span className={classes['entryTime']}>{formatClock(atMs)}</span>
      <span className={classes['snippet']}>
        {texts.events[type]} <code>{what}</code>
      </span>
    </>
  )
}
