// The part of the firewall page that lives in its URL.
import { z } from 'zod'

export const FirewallSearch = z.object({
  /** The dialog that is open: `new`, or the id of a rule. */
  edit: z.string().max(16).optional().catch(undefined),
})
export type FirewallSearch = z.infer<typeof FirewallSearch>
