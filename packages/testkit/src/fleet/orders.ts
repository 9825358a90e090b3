// What the process of the simulated agents and its parent say to each other.
import { z } from 'zod'

/** To the fleet. */
export const Order = z.discriminatedUnion('type', [
  /** Make keys and register devices; answered when all are registered. */
  z.object({ type: z.literal('register'), origin: z.string(), tenant: z.string(), count: z.number().int() }),
  /** Keep links of the first `count` devices, from now on and whatever happens; answered when all are linked. */
  z.object({ type: z.literal('link'), origin: z.string(), pin: z.string().optional(), count: z.number().int() }),
  /** Answered when as many devices as were ordered are linked again, after none was for a moment or more. */
  z.object({ type: z.literal('relinked') }),
  /** End all links. */
  z.object({ type: z.literal('park') }),
])
export type Order = z.infer<typeof Order>

/** From the fleet: one answer to each order, in their order. */
export const Answer = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('done'),
    /** Attempts at links that failed since the last answer, by reason. */
    failures: z.record(z.string(), z.number().int()),
  }),
  z.object({ type: z.literal('failed'), message: z.string() }),
])
export type Answer = z.infer<typeof Answer>
