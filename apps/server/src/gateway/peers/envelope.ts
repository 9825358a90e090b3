// What nodes say to each other on the streams of their link, around what device and gateway say. Schemas of both ends.
import * as z from 'zod'
import { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { LinkCause } from '@bowline/link/api'

/**
 * Header of a stream between nodes: the device whose link it continues on, by the claim with this epoch, and the header
 * of the device's stream. Ids of other streams in that header are those of the link between the nodes.
 */
export const PeerOpen = z.object({
  tenant: TenantId,
  device: DeviceUid,
  epoch: z.number().int().min(1),
  /** Credit of the device's stream, bytes; absent: the link's own. */
  window: z
    .number()
    .int()
    .min(1)
    .max(64 * 1024 * 1024)
    .optional(),
  header: z.record(z.string(), z.unknown()),
})
export type PeerOpen = z.infer<typeof PeerOpen>

const EndCause = z.object({
  by: z.enum(['user', 'agent', 'gateway', 'admin', 'policy', 'network']),
  reason: z.string().max(64),
  message: z.string().max(512),
  fromPeer: z.literal(true).optional(),
})

/** A control message: one of the device's stream, or why that stream ended. */
export const PeerControl = z.union([
  z.object({ message: z.record(z.string(), z.unknown()), overtaking: z.literal(true).optional() }),
  z.object({ end: EndCause }),
])

/** The control message that precedes a close: unlike a close frame it carries whose words a cause has. */
export function endMessage({ by, reason, message, fromPeer }: LinkCause): { readonly end: LinkCause } {
  return { end: { by, reason, message: message.slice(0, 512), ...(fromPeer ? { fromPeer } : {}) } }
}

/** As a cause of this end. */
export function toCause({ by, reason, message, fromPeer }: z.infer<typeof EndCause>): LinkCause {
  return { by, reason, message, ...(fromPeer ? { fromPeer } : {}) }
}
