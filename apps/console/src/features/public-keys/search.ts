// URL search parameters of the public keys page.
import { z } from 'zod'

export const DEFAULT_KEYS_SEARCH = { page: 1 } as const

export const KeysSearch = z.object({
  page: z.coerce.number().int().min(1).catch(DEFAULT_KEYS_SEARCH.page).default(DEFAULT_KEYS_SEARCH.page),
  q: z.string().trim().max(64).optional().catch(undefined),
  /** Only keys whose owner has left. */
  disabled: z.literal(true).optional().catch(undefined),
  /** The open dialog: `new`, or the fingerprint of a key on this page. */
  edit: z.string().max(64).optional().catch(undefined),
})
export type KeysSearch = z.infer<typeof KeysSearch>
