// The screen at the moment of the timeline that somebody points at, above it.
import { ScreenPicture } from '../../screens/screen-picture.tsx'
import type { Sizes } from '../../screens/picture.ts'
import { formatClock } from '../../../ui/text/clock.ts'
import classes from './timeline.module.css'

interface ThumbnailProps {
  readonly atMs: number
  readonly endMs: number
  /** Undefined while it is loading, and where there is too much to draw. */
  readonly sizes: Sizes | undefined
}

/** Hidden from screen readers: the panel with the text of the screen is for them. */
export function Thumbnail({ atMs, endMs, sizes }: ThumbnailProps) {
  return (
    <div
      className={classes['thumbnail']}
      aria-hidden
      data-thumbnail={Math.round(atMs)}
      ref={(box) => box?.style.setProperty('--at', `${endMs > 0 ? (atMs / endMs) * 100 : 0}%`)}
    >
      {sizes ? <ScreenPicture sizes={sizes} /> : null}
      <span>{formatClock(atMs)}</span>
    </div>
  )
}
