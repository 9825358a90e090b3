// Bytes to lines: a file is read in pieces that end anywhere.

const NEWLINE = 0x0a
/** Longer than any line of ours: a read of 64 KiB whose every byte needs six characters, and then some. */
export const MAX_LINE_BYTES = 1_048_576

export interface LineSplitter {
  /**
   * The lines that are complete with these bytes, each with its newline.
   * @throws {RangeError} for a line of more than {@link MAX_LINE_BYTES}
   */
  push(bytes: Uint8Array): Uint8Array[]
  /** What came after the last newline. */
  readonly rest: Uint8Array
}

export function createLineSplitter(): LineSplitter {
  let rest: Uint8Array = new Uint8Array()
  return {
    get rest() {
      return rest
    },
    push(bytes) {
      const all = rest.length === 0 ? bytes : join(rest, bytes)
      const lines: Uint8Array[] = []
      let start = 0
      // What was left from before has no newline.
      for (let end = all.indexOf(NEWLINE, rest.length); end >= 0; end = all.indexOf(NEWLINE, start)) {
        lines.push(all.subarray(start, end + 1))
        start = end + 1
      }
      rest = all.slice(start)
      if (rest.length > MAX_LINE_BYTES) throw new RangeError(`a line has more than ${MAX_LINE_BYTES} bytes`)
      return lines
    },
  }
}

function join(first: Uint8Array, second: Uint8Array): Uint8Array {
  const joined = new Uint8Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return joined
}
