// The change of many devices whose dialog is open, whichever page started or asked for it.
import { pageFile } from '../../../platform/page-files.ts'
import { createStore } from '../../../platform/store.ts'

/** Loaded once the first page rests: changes that run are looked for then. */
export const loadJobs = pageFile(() => import('./jobs.ts'), 'soon')

/** Id of the change; undefined: no dialog. */
export const openedJob = createStore<string | undefined>(undefined)

/** Shows the progress or the result of a change. */
export function openJob(id: string): void {
  openedJob.set(id)
  // Otherwise it opens once the file is there.
  void loadJobs().catch(() => undefined)
}
