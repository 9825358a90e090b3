// Reads the server name and the protocols that a TLS client asks for, before anything is decrypted (RFC 8446 sections
// 4.1.2 and 5.1, RFC 6066 section 3, RFC 7301). Pure; the bytes are a stranger's.
import { isIP } from 'node:net'

/** Bytes of a client's first message, with the headers of its records. Real ones have up to about 2 KiB. */
export const MAX_HELLO_BYTES = 16_384

export type HelloFault =
  /** Another protocol. */
  | 'not-tls'
  /** TLS, but not as the RFCs have it. */
  | 'malformed'
  | 'too-long'

export type ClientHello =
  /** `needs`: how many bytes there must be at least before it makes sense to look again. */
  | { readonly kind: 'incomplete'; readonly needs: number }
  | { readonly kind: 'fault'; readonly fault: HelloFault }
  /** `name` in lower case; undefined if the client sends none. */
  | { readonly kind: 'hello'; readonly name: string | undefined; readonly protocols: readonly string[] }

const HANDSHAKE_RECORD = 22
const CLIENT_HELLO = 1
const RECORD_HEADER = 5
const MESSAGE_HEADER = 4
const SERVER_NAME = 0
const APPLICATION_PROTOCOLS = 16
const MAX_NAME = 255
/** Records that the message may be spread over. */
const MAX_RECORDS = 64

/** Parses the first bytes of a connection; what follows the message is ignored. */
export function readClientHello(bytes: Buffer): ClientHello {
  try {
    const found = joinRecords(bytes)
    return typeof found === 'number' ? { kind: 'incomplete', needs: found } : readMessage(new Reader(found))
  } catch (error) {
    if (error instanceof Fault) return { kind: 'fault', fault: error.fault }
    throw error
  }
}

class Fault extends Error {
  readonly fault: HelloFault

  constructor(fault: HelloFault) {
    super(fault)
    this.fault = fault
  }
}

/** Bytes from front to back. @throws {Fault} at the end */
class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isDone(): boolean {
    return this.#at === this.#bytes.length
  }

  take(count: number): Buffer {
    if (this.#at + count > this.#bytes.length) throw new Fault('malformed')
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }

  /** An unsigned number of 1 to 3 bytes. */
  number(count: 1 | 2 | 3): number {
    return this.take(count).readUIntBE(0, count)
  }

  /** A vector with its length before it. */
  vector(lengthBytes: 1 | 2): Reader {
    return new Reader(this.take(this.number(lengthBytes)))
  }

  rest(): Buffer {
    return this.take(this.#bytes.length - this.#at)
  }
}

/**
 * The first handshake message, from as many records as it takes.
 * @returns the message, or how many bytes there must be before it makes sense to look again
 */
function joinRecords(bytes: Buffer): Buffer | number {
  const fragments: Buffer[] = []
  let length = 0
  for (let at = 0; ;) {
    const start = at + RECORD_HEADER
    checkRecord(bytes.subarray(at, start))
    if (bytes.length < start) return start
    const end = start + bytes.readUInt16BE(at + 3)
    fragments.push(bytes.subarray(start, end))
    length += Math.min(bytes.length, end) - start
    // A client has no reason for more, and each of them costs another look.
    if (fragments.length > MAX_RECORDS) throw new Fault('malformed')
    const whole = messageLength(fragments, length)
    if (whole !== undefined && length >= whole) return Buffer.concat(fragments).subarray(MESSAGE_HEADER, whole)
    if (bytes.length < end) return Math.min(end, bytes.length + (whole ?? MESSAGE_HEADER) - length)
    at = end
  }
}

/** Length of the message with its header; undefined while too little of it is here. @throws {Fault} */
function messageLength(fragments: readonly Buffer[], length: number): number | undefined {
  if (length < MESSAGE_HEADER) return undefined
  const header = Buffer.concat(fragments)
  if (header[0] !== CLIENT_HELLO) throw new Fault('malformed')
  const whole = MESSAGE_HEADER + header.readUIntBE(1, 3)
  if (whole > MAX_HELLO_BYTES) throw new Fault('too-long')
  return whole
}

/** @param header up to five bytes of it @throws {Fault} */
function checkRecord(header: Buffer): void {
  const [type = HANDSHAKE_RECORD, major = 3, , high, low] = header
  if (type !== HANDSHAKE_RECORD || major !== 3) throw new Fault('not-tls')
  if (high === undefined || low === undefined) return
  const length = high * 256 + low
  // RFC 8446 section 5.1: no empty fragments of handshakes, and at most 2^14 bytes.
  if (length === 0 || length > 16_384) throw new Fault('malformed')
}

function readMessage(message: Reader): ClientHello {
  // Version and random.
  message.take(2 + 32)
  if (message.vector(1).rest().length > 32) throw new Fault('malformed')
  const suites = message.vector(2).rest()
  const compressions = message.vector(1).rest()
  if (suites.length < 2 || suites.length % 2 === 1 || compressions.length === 0) throw new Fault('malformed')
  const none: ClientHello = { kind: 'hello', name: undefined, protocols: [] }
  if (message.isDone) return none
  const extensions = readExtensions(message.vector(2))
  if (!message.isDone) throw new Fault('malformed')
  const name = extensions.get(SERVER_NAME)
  const protocols = extensions.get(APPLICATION_PROTOCOLS)
  return {
    kind: 'hello',
    name: name && readName(new Reader(name)),
    protocols: protocols ? readProtocols(new Reader(protocols)) : [],
  }
}

function readExtensions(list: Reader): Map<number, Buffer> {
  const extensions = new Map<number, Buffer>()
  while (!list.isDone) {
    const type = list.number(2)
    // The service behind could read the other one of two.
    if (extensions.has(type)) throw new Fault('malformed')
    extensions.set(type, list.vector(2).rest())
  }
  return extensions
}

function readName(extension: Reader): string {
  const list = extension.vector(2)
  const type = list.number(1)
  const name = list.vector(2).rest().toString('latin1')
  // One name, of the only type that there is.
  if (!extension.isDone || !list.isDone || type !== 0) throw new Fault('malformed')
  if (name.length > MAX_NAME || !/^[\w.:-]+$/.test(name)) throw new Fault('malformed')
  return name.toLowerCase()
}

function readProtocols(extension: Reader): string[] {
  const list = extension.vector(2)
  const protocols: string[] = []
  while (!list.isDone) protocols.push(list.vector(1).rest().toString('latin1'))
  if (!extension.isDone || protocols.length === 0 || protocols.includes('')) throw new Fault('malformed')
  return protocols
}

/** True for a literal address, which RFC 6066 does not allow as a name. */
export function isAddress(name: string): boolean {
  return isIP(name) !== 0
}
