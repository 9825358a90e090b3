// URL search parameters of the player and of the recordings search.
import { z } from 'zod'

export const PlaySearch = z.object({
  /** Seconds since the start. */
  t: z.coerce.number().min(0).optional().catch(undefined),
  /** The search words. */
  q: z.string().max(256).optional().catch(undefined),
})
export type PlaySearch = z.infer<typeof PlaySearch>

export const DEFAULT_RECORDINGS_SEARCH = { q: '', page: 1 } as const

export const RecordingsSearch = z.object({
  q: z.string().max(256).catch('').default(''),
  page: z.coerce.number().int().min(1).catch(1).default(1),
})
export type RecordingsSearch = z.infer<typeof RecordingsSearch>
