// The live region: results of actions told to screen readers without moving the focus.
import { useSyncExternalStore } from 'react'
import { createStore } from '../../platform/store.ts'
import { VisuallyHidden } from '../kit.ts'

const spoken = createStore({ text: '', count: 0 })

/** Tells a result, politely: after what is being read at the moment. */
export function announce(text: string): void {
  spoken.set({ text, count: spoken.get().count + 1 })
}

/** Put once, outside of everything that comes and goes. */
export function Announcer() {
  const { text, count } = useSyncExternalStore(spoken.subscribe, spoken.get)
  // The same text twice must change the region to be read twice.
  return (
    <VisuallyHidden component="output" aria-live="polite">
      {text}
      {count % 2 ? '\u00a0' : ''}
    </VisuallyHidden>
  )
}
