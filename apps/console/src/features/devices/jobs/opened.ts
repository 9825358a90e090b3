// The change of many devices whose dialog is open, whichever page started or asked for it.
import { createStore } from '../../../platform/store.ts'

/** Id of the change; undefined: no dialog. */
export const openedJob = createStore<string | undefined>(undefined)

/** Shows the progress or the result of a change. */
export function openJob(id: string): void {
  openedJob.set(id)
}
