// Creates a player in a DOM element and disposes it.
import type { RecordingIndex } from '@bowline/contract/schemas/recording'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { useIsDark } from '../../../ui/use-theme.ts'
import { createGrowingSource, type GrowingSource } from '../engine/growing-source.ts'
import { createIndexedSource } from '../engine/indexed-source.ts'
import { createPlayback, type Playback } from '../engine/playback.ts'
import { growthReader, rangeReader, type Seat } from '../queries.ts'
import { createScreen, type Screen } from '../engine/screen.ts'
import { seekToFirstOutput } from '../engine/seek-to-line.ts'
import type { Source } from '../engine/source.ts'

export interface Player {
  readonly playback: Playback
  readonly screen: Screen
  /** The recording exceeded the limit for playing it before it is over. */
  readonly isFull: () => boolean
}

/**
 * @param startMs start position; undefined: the start, or the end of a recording still being made
 * @returns a ref for the element, and the player once it is mounted
 */
export function usePlayer({ uid, seat }: Seat, index: RecordingIndex, startMs: number | undefined) {
  const { api } = useRuntime()
  const isDark = useIsDark()
  const container = useRef<HTMLDivElement>(null)
  const [player, setPlayer] = useState<Player>()
  const growing = useRef<GrowingSource>(undefined)
  // Only the values the player is created from: the query's state changes with every answer.
  const { indexed } = index
  const first = useRef({ index, startMs, isDark })
  const sources = useMemo(
    () => ({
      indexed: (from: RecordingIndex): Source => createIndexedSource(from, rangeReader(api, { uid, seat })),
      growing: (grown: () => void): GrowingSource =>
        createGrowingSource({ read: growthReader(api, { uid, seat }), later, grown }),
    }),
    [api, uid, seat],
  )

  useEffect(() => {
    if (!container.current) return
    const { index: begun, startMs: start, isDark: dark } = first.current
    const screen = createScreen(container.current, dark)
    growing.current = begun.indexed ? undefined : sources.growing(() => playback.grown())
    const source = growing.current ?? sources.indexed(begun)
    const playback = createPlayback({ source, stage: screen, now: () => performance.now(), frame })
    setPlayer({ playback, screen, isFull: () => growing.current?.full === true })
    let closed = false
    if (start === undefined && begun.state === 'recording') {
      void playback.seek(Number.MAX_SAFE_INTEGER).then(() => playback.play())
    } else if (start === undefined) {
      void seekToFirstOutput({ playback, screen }, () => !closed && !playback.state.get().playing)
    } else void playback.seek(start)
    return () => {
      closed = true
      playback.close()
      screen.dispose()
      setPlayer(undefined)
    }
  }, [sources])

  useEffect(() => {
    if (!player || !indexed || !growing.current) return
    growing.current = undefined
    player.playback.use(sources.indexed(index))
  }, [player, indexed, index, sources])

  useEffect(() => player?.screen.setDark(isDark), [player, isDark])
  return { container, player }
}

/** Once the page is visible: nobody watches in a hidden tab. */
function later(work: () => void, delayMs: number): () => void {
  const run = (): void => {
    if (document.hidden) return
    document.removeEventListener('visibilitychange', run)
    work()
  }
  const timer = setTimeout(() => {
    document.addEventListener('visibilitychange', run)
    run()
  }, delayMs)
  return () => {
    clearTimeout(timer)
    document.removeEventListener('visibilitychange', run)
  }
}

function frame(work: () => void): () => void {
  const request = requestAnimationFrame(work)
  return () => cancelAnimationFrame(request)
}
