// Forms with changes that are not saved: whoever leaves them is asked first, by the console within it and by the browser
// when the page unloads.
import { createStore } from './store.ts'
import { guardUnload } from './unload-guard.ts'

/** A form: true while leaving it would lose something. */
export type Unsaved = () => boolean

const everywhere = new Set<Unsaved>()

/** @returns forget it */
export function holdUnsaved(form: Unsaved): () => void {
  everywhere.add(form)
  const release = guardUnload(form)
  return () => {
    everywhere.delete(form)
    release()
  }
}

export function isUnsaved(forms: ReadonlySet<Unsaved>): boolean {
  return [...forms].some((form) => form())
}

/** The question that is open, as what takes its answer. */
export const leaveQuestion = createStore<((leave: boolean) => void) | undefined>(undefined)

/**
 * Asks when something would be lost.
 * @param forms those that are left; by default all
 * @returns true to leave
 */
export function mayLeave(forms: ReadonlySet<Unsaved> = everywhere): Promise<boolean> {
  if (!isUnsaved(forms)) return Promise.resolve(true)
  // Another way out was tried while the question is open: the first one is given up.
  leaveQuestion.get()?.(false)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  leaveQuestion.set((leave) => {
    leaveQuestion.set(undefined)
    resolve(leave)
  })
  return promise
}
