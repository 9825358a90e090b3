// Network addresses: normal form, ranges, loopback and the unit that limits count.
import { BlockList, isIP } from 'node:net'

/** IPv4-mapped IPv6 addresses become IPv4; zones are dropped. */
export function plainAddress(address: string): string {
  const withoutZone = address.split('%')[0] ?? ''
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(withoutZone)
  return mapped?.[1] ?? withoutZone
}

/**
 * A test for membership in a list of addresses and CIDR ranges.
 * @throws {Error} naming the entry that is neither
 */
export function addressRanges(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const entry of entries) {
    // Digits only: an empty prefix would parse as 0, which matches every address.
    const [, address = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    const most = family === 'ipv6' ? 128 : 32
    const bits = prefix === undefined ? most : Number(prefix)
    if (isIP(address) === 0 || bits > most) {
      throw new Error(`'${entry}' is not an address or a range such as 10.0.0.0/8.`)
    }
    list.addSubnet(address, bits, family)
  }
  return (candidate) => {
    const address = plainAddress(candidate)
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4')
  }
}

const loopback = addressRanges(['127.0.0.0/8', '::1/128'])

/** True for loopback addresses and `localhost`. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || loopback(address)
}

/** The unit that rate and connection limits count: an IPv4 address, or the /64 of an IPv6 address. */
export function sourceKey(address: string): string {
  const groups = groupsOf(plainAddress(address))
  return groups ? `${groups.slice(0, 4).join(':')}::/64` : plainAddress(address)
}

/** The network that one customer may have: the /24 of an IPv4 address, or the /48 of an IPv6 address. */
export function networkKey(address: string): string {
  const plain = plainAddress(address)
  const groups = groupsOf(plain)
  if (groups) return `${groups.slice(0, 3).join(':')}::/48`
  return isIP(plain) === 4 ? `${plain.split('.').slice(0, 3).join('.')}.0/24` : plain
}

/** The eight groups of an IPv6 address in hexadecimal; undefined for others. */
function groupsOf(plain: string): string[] | undefined {
  if (isIP(plain) !== 6) return undefined
  const [head = '', tail = ''] = plain.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === '' ? [] : tail.split(':')
  const groups = plain.includes('::')
    ? [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
    : left
  return groups.map((group) => Number.parseInt(group, 16).toString(16))
}
