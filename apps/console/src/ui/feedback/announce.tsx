// The live region: announces results of actions to screen readers without moving the focus.
import { useSyncExternalStore } from 'react'
import { createStore } from '../../platform/store.ts'
import { VisuallyHidden } from '../kit.ts'

const spoken = createStore({ text: '', count: 0 })

/** Announces a result politely: after whatever is being read. */
export function announce(text: string): void {
  spoken.set({ text, count: spoken.get().count + 1 })
}

/** Mount once, outside of everything that unmounts. */
export function Announcer() {
  const { text, count } = useSyncExternalStore(spoken.subscribe, spoken.get)
  // A repeated text must still change the region to be read again.
  return (
    <VisuallyHidden component="output" aria-live="polite">
      {text}
      {count % 2 ? '\u00a0' : ''}
    </VisuallyHidden>
  )
}
