// Player keyboard shortcuts. They work wherever the focus is, except in text fields.
import { useEffect, useRef } from 'react'
import { areSingleKeysOn } from '../../../core/shortcuts.ts'
import { type Playback, SPEEDS } from '../engine/playback.ts'

const SHORT_MS = 5_000
const LONG_MS = 60_000
/** As long as the console waits for the second key of a shortcut. */
const AFTER_GO_MS = 1_200

export interface PlayerActions {
  /** A player shortcut was pressed. */
  readonly touched: () => void
  readonly fullScreen: () => void
  readonly search: () => void
  /** Jumps to the next or previous search hit. */
  readonly hit: (direction: 1 | -1) => void
}

export function usePlayerKeys(playback: Playback | undefined, actions: PlayerActions): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    if (!playback) return
    let wentAt = -Infinity
    const onKey = (event: KeyboardEvent): void => {
      // The key after `g` navigates.
      if (event.timeStamp - wentAt < AFTER_GO_MS) return
      if (event.key === 'g') wentAt = event.timeStamp
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
      const { target } = event
      if (!(target instanceof HTMLElement)) return
      if (target.closest('[role="dialog"], [role="menu"], textarea, select')) return
      if (target.closest('[role="tablist"]') && event.key.startsWith('Arrow')) return
      const isField = target.closest('input')
      if (isField && isField.type !== 'range') return
      // The focused control handles its own activation key.
      if (event.key === ' ' && target.closest('button, a')) return
      if (/^[^ ]$/u.test(event.key) && !areSingleKeysOn()) return
      latest.current.touched()
      if (!handleKey(playback, latest.current, event)) return
      event.preventDefault()
    }
    // Before the slider handles it.
    addEventListener('keydown', onKey, true)
    return () => removeEventListener('keydown', onKey, true)
  }, [playback])
}

/** @returns true when the key is handled */
function handleKey(playback: Playback, actions: PlayerActions, { key, shiftKey }: KeyboardEvent): boolean {
  const { atMs, endMs, playing, speed } = playback.state.get()
  const jump = shiftKey ? LONG_MS : SHORT_MS
  if (/^\d$/.test(key)) void playback.seek((endMs * Number(key)) / 10)
  else if (key === ' ') (playing ? playback.pause : playback.play)()
  else if (key === 'ArrowLeft') void playback.seek(atMs - jump)
  else if (key === 'ArrowRight') void playback.seek(atMs + jump)
  else if (key === 'Home') void playback.seek(0)
  else if (key === 'End') void playback.seek(endMs)
  else if (key === ',') void playback.step(-1)
  else if (key === '.') void playback.step(1)
  else if (key === '<') playback.setSpeed(SPEEDS.findLast((other) => other < speed) ?? speed)
  else if (key === '>') playback.setSpeed(SPEEDS.find((other) => other > speed) ?? speed)
  else if (key === 'f') actions.fullScreen()
  else if (key === '/') actions.search()
  else if (key === 'n') actions.hit(1)
  else if (key === 'N') actions.hit(-1)
  else return false
  return true
}
