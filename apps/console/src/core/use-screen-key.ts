// A single key that only one screen has: the sheet behind `?` lists it, and people can choose another.
import { useEffect, useRef } from 'react'
import { type KeyedAction, chosenKeys, keysOf } from './chosen-keys.ts'
import { PAUSE_MS, areSingleKeysOn, isTyping } from './shortcuts.ts'

/**
 * Handles the key while the component is mounted.
 * @param run undefined: the key does nothing
 */
export function useScreenKey({ id, usual }: Pick<KeyedAction, 'id' | 'usual'>, run: (() => void) | undefined): void {
  const latest = useRef(run)
  useEffect(() => {
    latest.current = run
  })
  const [usualKey = ''] = usual
  useEffect(() => {
    let wentAt = -Infinity
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, timeStamp } = event
      // The key after `g` navigates.
      const isSecond = timeStamp - wentAt < PAUSE_MS
      if (key === 'g') wentAt = timeStamp
      if (isSecond || event.defaultPrevented || ctrlKey || metaKey || altKey) return
      if (isTyping(event.target) || !areSingleKeysOn()) return
      const [wanted] = keysOf({ id, usual: [usualKey] }, chosenKeys.get())
      if (key !== wanted || !latest.current) return
      event.preventDefault()
      latest.current()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [id, usualKey])
}
