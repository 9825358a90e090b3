// Lines out of a stream of bytes, each of bounded length.
import { EngineError } from './errors.ts'

export class Lines {
  readonly #maxBytes: number
  #parts: Buffer[] = []
  #bytes = 0

  /** @param maxBytes longest line */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /**
   * Takes a chunk, which is copied where it is kept.
   * @returns the lines that it completed, without their ends
   * @throws {EngineError} when a line is too long
   */
  push(chunk: Buffer): string[] {
    const lines: string[] = []
    let start = 0
    for (;;) {
      const end = chunk.indexOf(0x0a, start)
      const part = chunk.subarray(start, end === -1 ? undefined : end)
      this.#bytes += part.length
      if (this.#bytes > this.#maxBytes) {
        throw new EngineError(`a line of the engine is longer than ${this.#maxBytes} bytes`)
      }
      if (end === -1) {
        if (part.length > 0) this.#parts.push(Buffer.from(part))
        return lines
      }
      lines.push(Buffer.concat([...this.#parts, part]).toString())
      this.#parts = []
      this.#bytes = 0
      start = end + 1
    }
  }
}
