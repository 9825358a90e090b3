// Timeline of a recording: a slider with an activity graph and marks for commands and hits.
import type { RecordingIndex } from '@bowline/contract/schemas/recording'
import { useMemo } from 'react'
import { playerMessages as texts } from '../messages.ts'
import { activityOf } from '../engine/activity.ts'
import { formatClock } from '../../../ui/text/clock.ts'
import { Thumbnail } from './thumbnail.tsx'
import classes from './timeline.module.css'
import type { ThumbnailControl } from './use-thumbnail.ts'

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
  readonly thumbnail: ThumbnailControl
}

/** Keys with which the player goes to another moment. */
const SEEKING = /^(ArrowLeft|ArrowRight|Home|End|\d)$/

export function Timeline({ atMs, endMs, index, marks, onSeek, thumbnail }: TimelineProps) {
  const activity = useMemo(() => activityOf(index), [index])
  const places = useMemo(
    () => marks.map(({ atMs: at, kind }) => ({ kind, percent: endMs > 0 ? Math.min(100, (at / endMs) * 100) : 0 })),
    [marks, endMs],
  )
  const { pointed, point, leave } = thumbnail
  return (
    <div className={classes['timeline']}>
      {pointed ? <Thumbnail {...pointed} endMs={endMs} /> : null}
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
        onChange={(event) => {
          const ms = Number(event.currentTarget.value)
          point(ms, 'briefly')
          onSeek(ms)
        }}
        // The player has taken the key by then, and `atMs` is where it leads to.
        onKeyDown={({ key }) => {
          if (SEEKING.test(key)) point(atMs, 'briefly')
        }}
        onBlur={leave}
        onPointerMove={({ buttons, pointerType, nativeEvent, currentTarget }) => {
          // With a button pressed it is a drag, which seeks.
          if (buttons !== 0 || pointerType !== 'mouse') return
          const share = Math.max(0, Math.min(1, nativeEvent.offsetX / currentTarget.clientWidth))
          point(share * endMs, 'while')
        }}
        onPointerLeave={({ pointerType }) => {
          if (pointerType === 'mouse') leave()
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
