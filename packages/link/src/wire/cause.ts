// Causes on the wire. A peer's cause is untrusted: it is parsed with limits, and a malformed one becomes `unspecified`
// instead of a second failure during an end.
import * as z from 'zod'
import { HANDING_OVER, type LinkCause } from '../api.ts'

/** This end of the link. Also the `by` of causes that this end creates. */
export type Side = 'gateway' | 'agent'

const MAX_MESSAGE_CHARACTERS = 512

const WireCause = z.object({
  by: z.enum(['user', 'agent', 'gateway', 'admin', 'policy', 'network']),
  reason: z
    .string()
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
    .max(64),
  message: z.string().max(MAX_MESSAGE_CHARACTERS),
})

export function otherSide(side: Side): Side {
  return side === 'gateway' ? 'agent' : 'gateway'
}

/** A `goaway` after which streams may still be opened. */
export function isHandingOver({ reason }: LinkCause): boolean {
  return reason === HANDING_OVER
}

/** JSON of a cause, with its message cut to 512 characters. */
export function encodeCause(cause: LinkCause): Uint8Array {
  const { by, reason, message } = cause
  return Buffer.from(JSON.stringify({ by, reason, message: message.slice(0, MAX_MESSAGE_CHARACTERS) }))
}

/**
 * Decodes the cause that `peer` sent; `unspecified` when the payload is malformed. A device speaks only for itself and
 * the network: an end it attributes to an administrator, a policy or the gateway counts as its own. The message reaches
 * terminals and logs, so control and formatting characters are removed.
 */
export function decodeCause(payload: Uint8Array, peer: Side): LinkCause {
  const parsed = WireCause.safeParse(parseJson(payload))
  if (!parsed.success) return { by: peer, reason: 'unspecified', message: `the ${peer} gave no valid cause` }
  const { by, reason, message } = parsed.data
  const isTheirs = peer === 'gateway' || by === 'network'
  const cleaned = message.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
  return { by: isTheirs ? by : peer, reason, message: cleaned, fromPeer: true }
}

/** The JSON value in `payload`, or undefined when it is not JSON. */
export function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('utf8'))
  } catch {
    return undefined
  }
}
