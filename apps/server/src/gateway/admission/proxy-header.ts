// Parses the header by which a load balancer forwards the client's address: PROXY protocol versions 1 and 2 (HAProxy's
// proxy-protocol.txt, sections 2.1 and 2.2). Read from trusted proxies only, see gateway.ts. Pure.
import { isIP } from 'node:net'
import { plainAddress } from '../../platform/network/address.ts'

interface Endpoint {
  readonly address: string
  readonly port: number
}

export interface ProxySource extends Endpoint {
  /** The proxy's side of the client's connection. */
  readonly reached: Endpoint
}

export type ProxyHeader =
  /** No header: another protocol starts here. */
  | { readonly kind: 'none' }
  /** May become a header with more bytes. */
  | { readonly kind: 'incomplete' }
  | { readonly kind: 'malformed' }
  /** `bytes` long; without a source the connection is the proxy's own (a health check). */
  | { readonly kind: 'header'; readonly bytes: number; readonly source: ProxySource | undefined }

const NONE: ProxyHeader = { kind: 'none' }
const INCOMPLETE: ProxyHeader = { kind: 'incomplete' }
const MALFORMED: ProxyHeader = { kind: 'malformed' }

const V1_START = Buffer.from('PROXY ')
const V1_MAX_BYTES = 107
const V2_START = Buffer.from('\r\n\r\n\0\r\nQUIT\n')
const V2_FIXED_BYTES = 16
/** Addresses and optional extensions. */
const V2_MAX_BYTES = 4_096

/** Parses the first bytes of a connection. */
export function readProxyHeader(bytes: Buffer): ProxyHeader {
  if (startsLike(bytes, V2_START)) return bytes.length < V2_FIXED_BYTES ? INCOMPLETE : readBinary(bytes)
  if (startsLike(bytes, V1_START)) return readLine(bytes)
  return NONE
}

/** True when the bytes start with `start` or are a prefix of it. */
function startsLike(bytes: Buffer, start: Buffer): boolean {
  const length = Math.min(bytes.length, start.length)
  return bytes.subarray(0, length).equals(start.subarray(0, length))
}

/** `PROXY TCP4 <source> <destination> <port> <port>` and CR LF. */
function readLine(bytes: Buffer): ProxyHeader {
  const end = bytes.subarray(0, V1_MAX_BYTES).indexOf('\r\n')
  if (end < 0) return bytes.length < V1_MAX_BYTES ? INCOMPLETE : MALFORMED
  const [, family, ...rest] = bytes.subarray(0, end).toString('latin1').split(' ')
  if (family === 'UNKNOWN') return { kind: 'header', bytes: end + 2, source: undefined }
  const [address = '', destination = '', port = '', ...more] = rest
  const version = family === 'TCP4' ? 4 : family === 'TCP6' ? 6 : undefined
  const fits = isIP(address) === version && isIP(destination) === version && more.length === 1
  if (version === undefined || !fits || !isPort(port) || !isPort(more[0] ?? '')) return MALFORMED
  const reached = { address: plainAddress(destination), port: Number(more[0]) }
  return { kind: 'header', bytes: end + 2, source: { address: plainAddress(address), port: Number(port), reached } }
}

function isPort(text: string): boolean {
  return /^(?:0|[1-9]\d{0,4})$/.test(text) && Number(text) <= 65_535
}

function readBinary(bytes: Buffer): ProxyHeader {
  const versionAndCommand = bytes.readUInt8(12)
  const family = bytes.readUInt8(13)
  const length = bytes.readUInt16BE(14)
  if (length > V2_MAX_BYTES) return MALFORMED
  const end = V2_FIXED_BYTES + length
  if (bytes.length < end) return INCOMPLETE
  const body = bytes.subarray(V2_FIXED_BYTES, end)
  const local: ProxyHeader = { kind: 'header', bytes: end, source: undefined }
  if (versionAndCommand === 0x20) return local
  if (versionAndCommand !== 0x21) return MALFORMED
  // TCP over IPv4, TCP over IPv6; other families carry no usable address.
  if (family === 0x11) return withSource(body, 4, end)
  if (family === 0x21) return withSource(body, 16, end)
  return local
}

/** Source, destination and both ports. */
function withSource(body: Buffer, addressBytes: 4 | 16, end: number): ProxyHeader {
  if (body.length < addressBytes * 2 + 4) return MALFORMED
  const endpoint = (index: 0 | 1): Endpoint => ({
    address: addressOf(body.subarray(addressBytes * index, addressBytes * (index + 1))),
    port: body.readUInt16BE(addressBytes * 2 + index * 2),
  })
  return { kind: 'header', bytes: end, source: { ...endpoint(0), reached: endpoint(1) } }
}

function addressOf(raw: Buffer): string {
  return raw.length === 4 ? raw.join('.') : plainIpv6(raw.toString('hex').match(/.{4}/g) ?? [])
}

/** Canonical short form; IPv4-mapped addresses as IPv4. */
function plainIpv6(groups: readonly string[]): string {
  const { hostname } = new URL(`http://[${groups.join(':')}]`)
  const short = hostname.slice(1, -1)
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(short)
  if (!mapped) return short
  return Buffer.from(
    mapped
      .slice(1)
      .map((group) => group.padStart(4, '0'))
      .join(''),
    'hex',
  ).join('.')
}
