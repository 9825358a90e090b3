// JSON payloads of `open` and `control` frames. The shape that the link itself needs is checked here; the receiver
// validates the content of a header or message against stream-messages.ts.
import * as z from 'zod'
import type { LinkMessage, StreamKind } from '../api.ts'
import { parseJson } from './cause.ts'
import { MAX_OPEN_BYTES } from './frame.ts'

const KINDS = [
  'auth',
  'session',
  'dial',
  'listen',
  'accept',
  'http',
  'engine',
  'health',
  'lease',
  'terminal',
  'recording',
] as const satisfies readonly StreamKind[]

const Message = z.record(z.string(), z.unknown())
const Open = z.strictObject({ kind: z.string().max(32), header: Message })

/** Payload of an `open` frame, or undefined when it exceeds 256 KiB or is not JSON. */
export function encodeOpen(kind: StreamKind, header: LinkMessage): Uint8Array | undefined {
  return encodeMessage({ kind, header }, MAX_OPEN_BYTES)
}

/** JSON of `message`, or undefined when it exceeds `maxBytes` or cannot be written as JSON. */
export function encodeMessage(message: LinkMessage, maxBytes: number): Uint8Array | undefined {
  try {
    const payload = Buffer.from(JSON.stringify(message))
    return payload.length <= maxBytes ? payload : undefined
  } catch {
    return undefined
  }
}

/** Decodes an `open` payload; `kind` is undefined when this version does not know it. Undefined: malformed. */
export function decodeOpen(payload: Uint8Array): { kind: StreamKind | undefined; header: LinkMessage } | undefined {
  const open = Open.safeParse(parseJson(payload))
  if (!open.success) return undefined
  return { kind: KINDS.find((kind) => kind === open.data.kind), header: open.data.header }
}

/** Decodes the JSON object of a `control` frame; undefined when it is not one. */
export function decodeMessage(payload: Uint8Array): LinkMessage | undefined {
  const message = Message.safeParse(parseJson(payload))
  return message.success ? message.data : undefined
}
