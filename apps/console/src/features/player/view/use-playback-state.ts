// Playback state as a React hook.
import { useCallback, useSyncExternalStore } from 'react'
import type { Playback, PlaybackState } from '../engine/playback.ts'

const NOTHING: PlaybackState = {
  atMs: 0,
  endMs: 0,
  playing: false,
  waiting: true,
  speed: 1,
  skipsIdle: true,
  error: undefined,
}

/** @param playback undefined until created */
export function usePlaybackState(playback: Playback | undefined): PlaybackState {
  const subscribe = useCallback((listener: () => void) => playback?.state.subscribe(listener) ?? (() => {}), [playback])
  return useSyncExternalStore(subscribe, () => playback?.state.get() ?? NOTHING)
}
