// The `source-address` option of certificates: a comma-separated list of addresses and CIDR blocks. Fails closed.
import { BlockList, isIP } from 'node:net'

const MAPPED = '::ffff:'

/** Unwraps an IPv4-mapped IPv6 address. */
function unmapped(address: string): string {
  const tail = address.toLowerCase().startsWith(MAPPED) ? address.slice(MAPPED.length) : address
  return isIP(tail) === 4 ? tail : address
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** Adds one entry; false when it is not an address or block. */
function add(list: BlockList, entry: string): boolean {
  const [address = '', prefix, ...more] = entry.split('/')
  const version = isIP(address)
  if (version === 0 || more.length > 0) return false
  const maxPrefix = version === 4 ? 32 : 128
  if (prefix !== undefined && (!/^\d{1,3}$/.test(prefix) || Number(prefix) > maxPrefix)) return false
  list.addSubnet(address, prefix === undefined ? maxPrefix : Number(prefix), familyOf(address))
  return true
}

/** Whether `address` (IPv4 or IPv6 literal) is in the list; a malformed list matches nothing. */
export function sourceAllowed(allowed: string, address: string): boolean {
  const list = new BlockList()
  const peer = unmapped(address)
  if (isIP(peer) === 0 || !allowed.split(',').every((entry) => add(list, entry.trim()))) return false
  return list.check(peer, familyOf(peer))
}
