// Which moment of the timeline somebody points at, and the screen at it: from the parts that the player keeps, of which one
// is asked for at a time.
import { useEffect, useRef, useState } from 'react'
import type { Playback } from '../engine/playback.ts'
import type { Sizes } from '../../screens/picture.ts'
import { sizesAt } from '../../screens/sizes.ts'

/** As long a thumbnail stays after a key or the end of a drag. */
const STAYS_MS = 1_500

export interface Pointed {
  readonly atMs: number
  readonly sizes: Sizes | undefined
}

export interface ThumbnailControl {
  readonly pointed: Pointed | undefined
  /** @param stays `while`: until `leave`; `briefly`: for a moment */
  readonly point: (ms: number, stays: 'while' | 'briefly') => void
  readonly leave: () => void
}

export function useThumbnail(playback: Playback): ThumbnailControl {
  const [pointed, setPointed] = useState<Pointed>()
  const latest = useRef<number>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const leave = (): void => {
    clearTimeout(timer.current)
    latest.current = undefined
    setPointed(undefined)
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  return {
    pointed,
    leave,
    point(ms, stays) {
      clearTimeout(timer.current)
      if (stays === 'briefly') timer.current = setTimeout(leave, STAYS_MS)
      latest.current = ms
      // The screen before stays until the next one is there: no flashing.
      setPointed((before) => ({ atMs: ms, sizes: before?.sizes }))
      void playback.prepare(ms).then((part) => {
        const atMs = latest.current
        if (part && atMs !== undefined) setPointed({ atMs, sizes: sizesAt(part, atMs) })
      })
    },
  }
}
