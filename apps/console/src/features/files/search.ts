// URL search parameters of the files page.
import { z } from 'zod'

/** `path`: of the folder, as the page writes it; absent: where the session begins. */
export const FilesSearch = z.object({ path: z.string().max(8_192).optional().catch(undefined) })
