// Splits bytes into lines: a file is read in chunks that end anywhere.

const NEWLINE = 0x0a
/** Longer than any line we write: a read of 64 KiB with every byte escaped to six characters, plus some margin. */
export const MAX_LINE_BYTES = 1_048_576

export interface LineSplitter {
  /**
   * Returns the lines that these bytes complete, each with its newline.
   * @throws {RangeError} for a line of more than {@link MAX_LINE_BYTES}
   */
  push(bytes: Uint8Array): Uint8Array[]
  /** Bytes after the last newline. */
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
      // The remainder of earlier chunks has no newline.
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
