// Frames of the web terminal (subprotocol `bowline.terminal.v1`), both directions. One binary WebSocket message is one
// frame: a byte for its kind, then
//
//   1 data     offset (8 bytes, big-endian) of the first byte in its direction's stream, then the bytes
//   2 taken    how many bytes (8 bytes) of the other direction have been processed since the beginning
//   3 message  JSON, see messages.ts
//   4 ping     8 bytes, which `5 pong` sends back
//
// Both directions are byte streams that are numbered from 0 and outlive the WebSocket. Bytes not yet `taken` are
// retained by their sender and resent after a resumption; at most the window of TERMINAL may be in flight, so both ends
// need bounded memory, and a stopped reader stops the source. Pure: shared by server and browser.

export const FRAME = { data: 1, taken: 2, message: 3, ping: 4, pong: 5 } as const

export type Frame =
  | { readonly kind: 'data'; readonly offset: number; readonly bytes: Uint8Array }
  | { readonly kind: 'taken'; readonly total: number }
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'ping' | 'pong'; readonly mark: number }

const HEAD_BYTES = 9
const utf8 = new TextEncoder()
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** A data frame of contiguous parts; the bytes are copied. */
export function dataFrame(offset: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const frame = numbered(
    FRAME.data,
    offset,
    parts.reduce((sum, { length }) => sum + length, 0),
  )
  let at = HEAD_BYTES
  for (const part of parts) {
    frame.set(part, at)
    at += part.length
  }
  return frame
}

export function takenFrame(total: number): Uint8Array<ArrayBuffer> {
  return numbered(FRAME.taken, total, 0)
}

/** @param mark whole number that is echoed in the pong */
export function pingFrame(mark: number): Uint8Array<ArrayBuffer> {
  return numbered(FRAME.ping, mark, 0)
}

export function pongFrame(mark: number): Uint8Array<ArrayBuffer> {
  return numbered(FRAME.pong, mark, 0)
}

export function messageFrame(message: object): Uint8Array<ArrayBuffer> {
  const text = utf8.encode(JSON.stringify(message))
  const frame = new Uint8Array(1 + text.length)
  frame[0] = FRAME.message
  frame.set(text, 1)
  return frame
}

/** @returns undefined for an invalid frame; the bytes of a data frame are a view of the message */
export function readFrame(message: Uint8Array): Frame | undefined {
  if (message[0] === FRAME.message) {
    try {
      return { kind: 'message', text: strictUtf8.decode(message.subarray(1)) }
    } catch {
      return undefined
    }
  }
  if (message.length < HEAD_BYTES) return undefined
  const number = Number(new DataView(message.buffer, message.byteOffset, message.length).getBigUint64(1))
  if (!Number.isSafeInteger(number)) return undefined
  if (message[0] === FRAME.data) return { kind: 'data', offset: number, bytes: message.subarray(HEAD_BYTES) }
  if (message.length > HEAD_BYTES) return undefined
  if (message[0] === FRAME.taken) return { kind: 'taken', total: number }
  if (message[0] === FRAME.ping) return { kind: 'ping', mark: number }
  return message[0] === FRAME.pong ? { kind: 'pong', mark: number } : undefined
}

function numbered(kind: number, value: number, more: number): Uint8Array<ArrayBuffer> {
  const frame = new Uint8Array(HEAD_BYTES + more)
  frame[0] = kind
  new DataView(frame.buffer).setBigUint64(1, BigInt(value))
  return frame
}
