// UTF-8 as programs write it: in pieces that end anywhere, and not always UTF-8.
import { isUtf8 } from 'node:buffer'

/** Pieces of one stream of bytes. */
export interface Characters {
  /**
   * The whole characters of what was held back and of these bytes; the beginning of one more is held back in turn.
   * @returns the bytes themselves, as far as they can be used as they are
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

/** How many bytes at the end begin a character that is not whole (RFC 3629 section 3): 0 to 3. */
function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80 || byte >= 0xc0) return lengthOf(byte) > back ? back : 0
  }
  return 0
}

/** Bytes of the character that begins with this one; 1 for a byte that begins none. */
function lengthOf(first: number): number {
  if (first < 0xc2 || first > 0xf4) return 1
  if (first < 0xe0) return 2
  return first < 0xf0 ? 3 : 4
}

/**
 * The JSON string of UTF-8 text; U+FFFD stands for what is none.
 * @returns UTF-8 with one character for each byte ("latin1"). What JSON escapes is below U+0080, so bytes of other
 *   characters can stay as they are: to decode and to encode them costs twice as much as all the rest
 */
export function jsonBytes(utf8: Uint8Array): string {
  const bytes = Buffer.from(utf8.buffer, utf8.byteOffset, utf8.length)
  if (isUtf8(bytes)) return JSON.stringify(bytes.toString('latin1'))
  return Buffer.from(JSON.stringify(bytes.toString())).toString('latin1')
}
