// Messages between the process of the simulated agents and its parent.
import { z } from 'zod'

/** To the fleet. */
export const Order = z.discriminatedUnion('type', [
  /** Make keys and register devices; answered when all are registered. */
  z.object({ type: z.literal('register'), origin: z.string(), tenant: z.string(), count: z.number().int() }),
  /** Register all devices once more, signed, as agents do every ten minutes; answered when all have registered. */
  z.object({ type: z.literal('register-again'), origin: z.string() }),
  /** Keep links of the first `count` devices from now on, reconnecting as needed; answered when all are linked. */
  z.object({ type: z.literal('link'), origin: z.string(), pin: z.string().optional(), count: z.number().int() }),
  /** Answered when all requested links are up again after at least a moment without any. */
  z.object({ type: z.literal('relinked') }),
  /** End all links. */
  z.object({ type: z.literal('park') }),
])
export type Order = z.infer<typeof Order>

/** From the fleet: one answer to each order, in order. */
export const Answer = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('done'),
    /** Link attempts that failed since the last answer, by reason. */
    failures: z.record(z.string(), z.number().int()),
  }),
  z.object({ type: z.literal('failed'), message: z.string() }),
])
export type Answer = z.infer<typeof Answer>
