// The file of changes of many devices, for the frame of the pages.
import { pageFile } from '../../../platform/page-files.ts'
import { openedJob } from './opened.ts'

/** Loaded once the first page rests, as changes that run are looked for then; or when a dialog is wanted before. */
export const loadJobs = pageFile(() => import('./jobs.ts'), 'soon')

openedJob.subscribe(() => {
  // If that fails, it opens once the file is there.
  if (openedJob.get() !== undefined) void loadJobs().catch(() => undefined)
})
