// The last screen of a recording, small, in the list. It is the content of the recording: it is asked for only where
// somebody has chosen to see screens, and when it comes into view.
import type { ListedRecording } from '@bowline/contract/schemas/recording'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { isFilesOnly } from '../sessions/recording/recording-summary.tsx'
import { previewQuery } from '../sessions/queries.ts'
import { ScreenPicture } from '../screens/screen-picture.tsx'
import { playerMessages } from './messages.ts'
import classes from './player.module.css'

const texts = playerMessages.recordings

export function Thumbnail({ recording }: { readonly recording: ListedRecording }) {
  const { session, seat, state, read } = recording
  const { api } = useRuntime()
  const frame = useRef<HTMLDivElement>(null)
  const isInView = useSeen(frame)
  const enabled = isInView && !isFilesOnly(recording) && state !== 'recording' && read
  const { data, isError } = useQuery({ ...previewQuery(api, session, seat), enabled })
  const screen = data?.screen
  const note = isFilesOnly(recording)
    ? texts.files
    : state === 'recording'
      ? texts.runningScreen
      : !read
        ? texts.screenPending
        : isError
          ? texts.noScreen
          : screen?.length === 0
            ? texts.emptyScreen
            : undefined
  return (
    <div ref={frame} className={classes['thumbnailFrame']}>
      {screen && screen.length > 0 ? <ScreenPicture sizes={screen} label={texts.lastScreen} /> : null}
      {note === undefined ? null : <span>{note}</span>}
    </div>
  )
}

/** True from the first time on that the element is in view. */
function useSeen(element: React.RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (!element.current || isSeen) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, isSeen])
  return isSeen
}
