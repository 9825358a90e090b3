// Reads the peer's identification line (RFC 4253 section 4.2), of at most 255 bytes: a client's first bytes, or a server's.
import { protocolFault } from '../fault.ts'

/** Longest line, including CR LF. */
const MAX_LINE_BYTES = 255
const LF = 0x0a
const IDENT = /^SSH-(?:2\.0|1\.99)-[\x20-\x7e]+$/

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
    if (!IDENT.test(ident)) {
      throw protocolFault('bad-ident', 'The identification line is not one of SSH protocol 2.0.')
    }
    return { ident, rest: chunk.subarray(end + 1) }
  }
}

/** Lines that a server may send before its identification (RFC 4253 section 4.2), and the bytes of all of them. */
const MAX_LINES = 64
const MAX_PREFACE_BYTES = 8_192

/** Collects a server's line, which others may precede. */
export class ServerIdentReader {
  #text = ''
  #lines = 0
  #bytes = 0

  /**
   * @returns the line without CR LF and the bytes after it, or undefined while it is incomplete
   * @throws {Fault} `bad-ident` when there are too many lines, one is too long, or the protocol is not SSH 2.0
   */
  push(chunk: Buffer): { readonly ident: string; readonly rest: Buffer } | undefined {
    let rest = chunk
    for (let end = rest.indexOf(LF); end >= 0; end = rest.indexOf(LF)) {
      this.#add(rest.subarray(0, end))
      rest = rest.subarray(end + 1)
      const line = this.#text.endsWith('\r') ? this.#text.slice(0, -1) : this.#text
      this.#text = ''
      if (line.startsWith('SSH-')) {
        if (IDENT.test(line) && line.length < MAX_LINE_BYTES) return { ident: line, rest }
        throw protocolFault('bad-ident', 'The identification line is not one of SSH protocol 2.0.')
      }
      this.#lines += 1
      if (this.#lines > MAX_LINES) throw protocolFault('bad-ident', 'Too many lines precede the identification.')
    }
    this.#add(rest)
    return undefined
  }

  #add(part: Buffer): void {
    this.#bytes += part.length
    if (this.#bytes > MAX_PREFACE_BYTES) throw protocolFault('bad-ident', 'No identification line arrived.')
    this.#text += part.toString('latin1')
  }
}
