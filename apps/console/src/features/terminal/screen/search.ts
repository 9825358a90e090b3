// URL search parameters of the terminals page.
import { z } from 'zod'

/** `device`: uid of a device to open a terminal on. */
export const TerminalSearch = z.object({ device: z.string().optional().catch(undefined) })
