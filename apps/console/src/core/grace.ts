// The seconds before something that cannot be undone is sent: until then, the person may change their mind.
import { useSyncExternalStore } from 'react'
import { createStore } from '../platform/store.ts'
import { notifyBefore } from '../ui/feedback/notify.tsx'

/** Long enough to read the notice and to reach its button. */
const GRACE_MS = 5_000

/** Ids of what is about to be removed. */
const waiting = createStore<ReadonlySet<string>>(new Set())
const ends = new Set<() => void>()

// Leaving the page sends confirmed removals at once; the runtime keeps those requests alive.
addEventListener('pagehide', () => {
  for (const end of ends) end()
})

/**
 * Waits for the grace period of an irreversible action, while a notification offers to undo it. Leaving the page ends
 * the wait.
 * @param title what is about to happen
 * @param subjects ids of what it changes, for `useIsInGrace`
 * @returns false: the person took it back, or it is already about to happen
 */
export async function grace(title: string, subjects: readonly string[]): Promise<boolean> {
  if (subjects.some((subject) => waiting.get().has(subject))) return false
  waiting.set(new Set([...waiting.get(), ...subjects]))
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const go = () => resolve(true)
  const timer = setTimeout(go, GRACE_MS)
  ends.add(go)
  const hide = notifyBefore({ title, onUndo: () => resolve(false) })
  const isDue = await promise
  clearTimeout(timer)
  ends.delete(go)
  hide()
  waiting.set(new Set([...waiting.get()].filter((subject) => !subjects.includes(subject))))
  return isDue
}

/** Whether the grace period of an action on a subject runs. */
export function useIsInGrace(subject: string): boolean {
  return useSyncExternalStore(waiting.subscribe, () => waiting.get().has(subject))
}
