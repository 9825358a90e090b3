// The current time for components that show it. They share one timer per period, which runs only while subscribed to.
import { useSyncExternalStore } from 'react'

interface Ticker {
  readonly subscribe: (listener: () => void) => () => void
  readonly nowMs: () => number
}

/** @param freshMs age up to which the time is as good as now for whoever begins to show it */
function createTicker(periodMs: number, freshMs: number): Ticker {
  const listeners = new Set<() => void>()
  let nowMs = Date.now()
  let timer: ReturnType<typeof setInterval> | undefined
  const tick = () => {
    nowMs = Date.now()
    for (const listener of listeners) listener()
  }
  return {
    nowMs: () => nowMs,
    subscribe(listener) {
      // Another time has all that have just been drawn with it draw again.
      if (listeners.size === 0 && Date.now() - nowMs > freshMs) nowMs = Date.now()
      listeners.add(listener)
      timer ??= setInterval(tick, periodMs)
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
    },
  }
}

const calm = createTicker(15_000, 5_000)
const seconds = createTicker(1_000, 0)
const none = () => () => {}

/** Milliseconds since the epoch, updated every 15 seconds. */
export function useNow(): number {
  return useSyncExternalStore(calm.subscribe, calm.nowMs)
}

/**
 * Milliseconds left until `deadlineMs` (of `Date.now()`), never below 0. The component re-renders every second while
 * there is a deadline; pass 0 for none.
 */
export function useCountdown(deadlineMs: number): number {
  const nowMs = useSyncExternalStore(deadlineMs > 0 ? seconds.subscribe : none, seconds.nowMs)
  return deadlineMs > 0 ? Math.max(0, deadlineMs - nowMs) : 0
}
