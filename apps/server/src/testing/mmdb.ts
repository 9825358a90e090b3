// A small MaxMind DB file for tests: IPv6 tree with IPv4 below ::/96, as the published format describes it.
import type { Position } from '../platform/positions.ts'

const RECORD_BITS = 24
const SEPARATOR = Buffer.alloc(16)

type Value = string | number | Value[] | { readonly [key: string]: Value }

/** Type numbers of the format: 2 text, 3 double, 6 unsigned 32 bits, 7 map, 11 array. */
function encode(value: Value, asDouble: boolean): Buffer {
  const head = (type: number, size: number) =>
    type > 7 ? Buffer.from([size, type - 7]) : Buffer.from([(type << 5) | size])
  if (typeof value === 'string') return Buffer.concat([head(2, value.length), Buffer.from(value)])
  if (typeof value === 'number' && asDouble) {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleBE(value)
    return Buffer.concat([head(3, 8), bytes])
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([head(6, 4), bytes])
  }
  if (Array.isArray(value)) {
    return Buffer.concat([head(11, value.length), ...value.map((item) => encode(item, asDouble))])
  }
  const entries = Object.entries(value)
  const parts = entries.flatMap(([key, item]) => [encode(key, asDouble), encode(item, asDouble)])
  return Buffer.concat([head(7, entries.length), ...parts])
}

/** The first bits of an IPv4 range, below ::/96. */
function bitsOf(range: string): number[] {
  const [address = '', prefix = '32'] = range.split('/')
  const bits = address.split('.').flatMap((part) => Array.from({ length: 8 }, (_, i) => (Number(part) >> (7 - i)) & 1))
  return [...Array<number>(96).fill(0), ...bits.slice(0, Number(prefix))]
}

/** An entry of the file. */
type Entry = Position & { readonly city?: string; readonly country?: string }

/** @param ranges entries by IPv4 range, such as `203.0.113.0/24`; they must not overlap */
export function mmdbFile(ranges: Readonly<Record<string, Entry>>): Buffer {
  const nodes: [left: number, right: number][] = [[-1, -1]]
  const data: Buffer[] = []
  let dataBytes = 0
  const leaves: { node: number; bit: number; offset: number }[] = []
  for (const [range, { latitude, longitude, city, country }] of Object.entries(ranges)) {
    const bits = bitsOf(range)
    let node = 0
    for (const bit of bits.slice(0, -1)) {
      const next = nodes[node]?.[bit === 0 ? 0 : 1] ?? -1
      if (next >= 0) node = next
      else {
        const made = nodes.push([-1, -1]) - 1
        const parent = nodes[node]
        if (parent) parent[bit === 0 ? 0 : 1] = made
        node = made
      }
    }
    const entry = encode(
      {
        location: { latitude, longitude },
        ...(city ? { city: { names: { en: city } } } : {}),
        ...(country ? { country: { names: { en: country } } } : {}),
      },
      true,
    )
    leaves.push({ node, bit: bits.at(-1) ?? 0, offset: dataBytes })
    data.push(entry)
    dataBytes += entry.length
  }
  for (const { node, bit, offset } of leaves) {
    const parent = nodes[node]
    if (parent) parent[bit === 0 ? 0 : 1] = nodes.length + SEPARATOR.length + offset
  }
  const tree = Buffer.alloc(nodes.length * 6)
  for (const [i, [left, right]] of nodes.entries()) {
    // A record equal to the node count means: no data.
    tree.writeUIntBE(left < 0 ? nodes.length : left, i * 6, 3)
    tree.writeUIntBE(right < 0 ? nodes.length : right, i * 6 + 3, 3)
  }
  const metadata = encode(
    {
      node_count: nodes.length,
      record_size: RECORD_BITS,
      ip_version: 6,
      database_type: 'Test',
      languages: ['en'],
      binary_format_major_version: 2,
      binary_format_minor_version: 0,
      build_epoch: 1_700_000_000,
      description: { en: 'test' },
    },
    false,
  )
  const marker = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')])
  return Buffer.concat([tree, SEPARATOR, ...data, marker, metadata])
}
