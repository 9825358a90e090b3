// URL search parameters of the terminals page.
import { z } from 'zod'

/** `device`: uid of a device to open a terminal on. */
export const TerminalSearch = z.object({
  /** Opens a terminal on this device. */
  device: z.string().optional().catch(undefined),
  /** Asks to join the terminal of this session. */
  join: z.string().optional().catch(undefined),
})
