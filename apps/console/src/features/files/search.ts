// URL search parameters of the files page.
import { z } from 'zod'

export const FilesSearch = z.object({
  /** Of the folder, as the page writes it; absent: where the session begins. */
  path: z.string().max(8_192).optional().catch(undefined),
  /** Where the person came from, for the way back; absent: the list of devices. */
  back: z.enum(['terminal']).optional().catch(undefined),
})

export type FilesBack = z.infer<typeof FilesSearch>['back']
