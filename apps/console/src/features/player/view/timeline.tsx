// Timeline of a recording: a slider with an activity graph and marks for commands and hits.
import type { RecordingIndex } from '@bowline/contract/schemas/recording'
import { useMemo } from 'react'
import { playerMessages as texts } from '../messages.ts'
import { activityOf } from '../engine/activity.ts'
import classes from '../player.module.css'
import { formatClock } from '../engine/times.ts'

export interface Mark {
  readonly atMs: number
  readonly kind: 'event' | 'hit'
}

interface TimelineProps {
  readonly atMs: number
  readonly endMs: number
  readonly index: RecordingIndex
  readonly marks: readonly Mark[]
  readonly onSeek: (ms: number) => void
  /** The pointer hovers over a moment. */
  readonly onNear: (ms: number) => void
}

export function Timeline({ atMs, endMs, index, marks, onSeek, onNear }: TimelineProps) {
  const activity = useMemo(() => activityOf(index), [index])
  const places = useMemo(
    () => marks.map(({ atMs: at, kind }) => ({ kind, percent: endMs > 0 ? Math.min(100, (at / endMs) * 100) : 0 })),
    [marks, endMs],
  )
  return (
    <div className={classes['timeline']}>
      <div className={classes['activity']} aria-hidden>
        {activity.map((share, bucket) => (
          // oxlint-disable-next-line react/no-array-index-key -- buckets are identified by position
          <span key={bucket} style={{ height: `${Math.round(share * 100)}%` }} />
        ))}
      </div>
      <input
        type="range"
        className={classes['slider']}
        aria-label={texts.timeline}
        aria-valuetext={texts.timeOf(formatClock(atMs), formatClock(endMs))}
        min={0}
        max={Math.max(1, Math.round(endMs))}
        step={1}
        value={Math.round(atMs)}
        ref={(slider) => slider?.style.setProperty('--played', `${endMs > 0 ? (atMs / endMs) * 100 : 0}%`)}
        onChange={(event) => onSeek(Number(event.currentTarget.value))}
        onPointerMove={({ buttons, nativeEvent, currentTarget }) => {
          // With a button pressed it is a drag, which seeks.
          if (buttons === 0) onNear((nativeEvent.offsetX / currentTarget.clientWidth) * endMs)
        }}
      />
      <div className={classes['marks']} aria-hidden>
        {places.map(({ kind, percent }, number) => (
          // oxlint-disable-next-line react/no-array-index-key -- marks never change their order
          <span key={number} data-kind={kind} style={{ left: `${percent}%` }} />
        ))}
      </div>
    </div>
  )
}
