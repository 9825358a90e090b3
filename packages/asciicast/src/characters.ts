// UTF-8 decoding of program output: chunks end anywhere, and the bytes are not always valid UTF-8.
import { isUtf8 } from 'node:buffer'

/** Decoder state of one byte stream. */
export interface Characters {
  /**
   * Returns the complete characters of the held-back and the new bytes; an incomplete one at the end is held back.
   * @returns the input itself where it can be used unchanged
   */
  next(bytes: Uint8Array): Uint8Array
}

export function createCharacters(): Characters {
  let held: Uint8Array | undefined
  return {
    next(bytes) {
      const all = held ? Buffer.concat([held, bytes]) : bytes
      const whole = all.length - unfinishedBytes(all)
      held = whole < all.length ? Uint8Array.from(all.subarray(whole)) : undefined
      return all.subarray(0, whole)
    },
  }
}

/** Number of bytes at the end that begin an incomplete character (RFC 3629 section 3): 0 to 3. */
function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80 || byte >= 0xc0) return lengthOf(byte) > back ? back : 0
  }
  return 0
}

/** Length in bytes of the character that begins with this one; 1 for an invalid first byte. */
function lengthOf(first: number): number {
  if (first < 0xc2 || first > 0xf4) return 1
  if (first < 0xe0) return 2
  return first < 0xf0 ? 3 : 4
}

/**
 * Encodes UTF-8 text as a JSON string; invalid bytes become U+FFFD.
 * @returns UTF-8 with one character per byte ("latin1"). JSON only escapes characters below U+0080, so the bytes of
 *   others can stay as they are: decoding and encoding them costs twice as much as everything else
 */
export function jsonBytes(utf8: Uint8Array): string {
  const bytes = Buffer.from(utf8.buffer, utf8.byteOffset, utf8.length)
  if (isUtf8(bytes)) return JSON.stringify(bytes.toString('latin1'))
  return Buffer.from(JSON.stringify(bytes.toString())).toString('latin1')
}
