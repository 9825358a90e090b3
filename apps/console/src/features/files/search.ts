// URL search parameters of the files page.
import { z } from 'zod'

export const FilesSearch = z.object({
  /** Path of the folder, as the page writes it; absent: the folder in which the session begins. */
  path: z.string().max(8_192).optional().catch(undefined),
  /** Target of the back link; absent: the list of devices. */
  back: z.enum(['terminal']).optional().catch(undefined),
})

export type FilesBack = z.infer<typeof FilesSearch>['back']
