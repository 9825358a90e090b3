// Timeline and buttons below the screen.
import type { RecordingIndex } from '@bowline/contract/schemas/recording'
import { Controls } from './controls.tsx'
import type { Playback, PlaybackState } from '../engine/playback.ts'
import classes from '../player.module.css'
import type { Seat } from '../queries.ts'
import { type Mark, Timeline } from './timeline.tsx'
import { useThumbnail } from './use-thumbnail.ts'

interface PlayerBarProps {
  readonly playback: Playback
  readonly state: PlaybackState
  readonly index: RecordingIndex
  readonly marks: readonly Mark[]
  readonly link: Seat
  /** The person did something that supersedes a pending jump. */
  readonly onTouch: () => void
  readonly onFullScreen: () => void
}

export function PlayerBar({ playback, state, index, marks, link, onTouch, onFullScreen }: PlayerBarProps) {
  const { atMs, endMs } = state
  const thumbnail = useThumbnail(playback)
  return (
    <div className={classes['bar']} onPointerDownCapture={onTouch}>
      <Timeline
        atMs={atMs}
        endMs={endMs}
        index={index}
        marks={marks}
        onSeek={(ms) => void playback.seek(ms)}
        thumbnail={thumbnail}
      />
      <Controls
        playback={playback}
        state={state}
        live={index.state === 'recording'}
        link={link}
        onFullScreen={onFullScreen}
      />
    </div>
  )
}
