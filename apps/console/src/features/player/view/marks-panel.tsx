// Session events to jump to.
import { Text } from '../../../ui/kit.ts'
import { playerMessages as texts } from '../messages.ts'
import classes from '../player.module.css'
import type { SessionMark } from '../engine/session-marks.ts'
import { formatClock } from '../../../ui/text/clock.ts'

interface MarksPanelProps {
  readonly marks: readonly SessionMark[]
  readonly onJump: (ms: number) => void
}

export function MarksPanel({ marks, onJump }: MarksPanelProps) {
  if (marks.length === 0) return <Text c="dimmed">{texts.noEvents}</Text>
  return (
    <ol className={classes['list']}>
      {marks.map(({ atMs, type, what }, number) => (
        // oxlint-disable-next-line react/no-array-index-key -- marks are append-only
        <li key={number}>
          <button type="button" className={classes['entry']} onClick={() => onJump(atMs)}>
            <span className={classes['entryTime']}>{formatClock(atMs)}</span>
            <span className={classes['snippet']}>
              {texts.events[type]} <code>{what}</code>
            </span>
          </button>
        </li>
      ))}
    </ol>
  )
}
