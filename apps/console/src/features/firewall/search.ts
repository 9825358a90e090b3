// URL search parameters of the firewall page.
import { z } from 'zod'

export const FirewallSearch = z.object({
  /** The open dialog: `new`, or the id of a rule. */
  edit: z.string().max(16).optional().catch(undefined),
  /** Whether the history is open. */
  history: z.literal('yes').optional().catch(undefined),
  /** Whether the rules are open as a file. */
  file: z.literal('yes').optional().catch(undefined),
})
export type FirewallSearch = z.infer<typeof FirewallSearch>
