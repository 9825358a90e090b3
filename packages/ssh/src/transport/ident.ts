// Reads the client's identification line (RFC 4253 section 4.2): its first bytes, at most 255 of them.
import { protocolFault } from '../fault.ts'

/** Longest line, including CR LF. */
const MAX_LINE_BYTES = 255
const LF = 0x0a

/** Collects the client's line from chunks. */
export class IdentReader {
  #line = ''

  /**
   * @returns the line without CR LF and the bytes after it, or undefined while it is incomplete
   * @throws {Fault} `bad-ident` when the line is too long, holds control characters or names another protocol
   */
  push(chunk: Buffer): { readonly ident: string; readonly rest: Buffer } | undefined {
    const end = chunk.indexOf(LF)
    const part = end < 0 ? chunk : chunk.subarray(0, end)
    if (this.#line.length + part.length >= MAX_LINE_BYTES) {
      throw protocolFault('bad-ident', 'The identification line is longer than 255 bytes.')
    }
    this.#line += part.toString('latin1')
    // A peer that speaks another protocol is rejected at its first bytes.
    if (!'SSH-'.startsWith(this.#line.slice(0, 4))) {
      throw protocolFault('bad-ident', 'The first line is not an SSH identification.')
    }
    if (end < 0) return undefined
    const ident = this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line
    if (!/^SSH-(?:2\.0|1\.99)-[\x20-\x7e]+$/.test(ident)) {
      throw protocolFault('bad-ident', 'The identification line is not one of SSH protocol 2.0.')
    }
    return { ident, rest: chunk.subarray(end + 1) }
  }
}
