// Networks as people write them (10.0.0.0/8, 2001:db8::/32, or one address): canonical text and membership. Pure; runs in
// browsers too.

export interface Network {
  /** Groups of the address, host bits cleared: 4 of 8 bits (IPv4), or 8 of 16 bits (IPv6). */
  readonly groups: readonly number[]
  readonly bits: number
}

/**
 * Parses `address/bits` (RFC 4632, RFC 4291 section 2.3) or one address. IPv4 addresses within IPv6 (RFC 4291 section
 * 2.5.5.2) become IPv4; host bits are cleared.
 * @returns undefined when the text is neither
 */
export function parseNetwork(text: string): Network | undefined {
  const [, address = '', prefix] = /^([0-9a-f.:]{2,45})(?:\/(\d{1,3}))?$/i.exec(text.trim()) ?? []
  const groups = address.includes(':') ? groupsOf6(address) : groupsOf4(address)
  if (!groups) return undefined
  const all = groups.length === 4 ? 32 : 128
  const bits = prefix === undefined ? all : Number(prefix)
  if (bits > all) return undefined
  const isMapped =
    groups.length === 8 && bits >= 96 && groups.slice(0, 5).every((one) => one === 0) && groups[5] === 65_535
  if (!isMapped) return { groups: clearHostBits(groups, bits), bits }
  const [high = 0, low = 0] = groups.slice(6)
  return { groups: clearHostBits([high >> 8, high & 255, low >> 8, low & 255], bits - 96), bits: bits - 96 }
}

/** Canonical text: host bits cleared, IPv6 as in RFC 5952, always with its length. @returns undefined for other text */
export function canonicalNetwork(text: string): string | undefined {
  const network = parseNetwork(text)
  return network && networkText(network)
}

/** `address/bits`, as {@link canonicalNetwork} returns it. */
export function networkText({ groups, bits }: Network): string {
  return `${textOf(groups)}/${bits}`
}

/** Canonical text of one address: what networks and patterns are compared with. @returns undefined for other text */
export function canonicalAddress(text: string): string | undefined {
  const network = text.includes('/') ? undefined : parseNetwork(text)
  return network && textOf(network.groups)
}

/** True if a network has an address of its own family. @param address parsed from one address */
export function hasAddress({ groups, bits }: Network, address: Network): boolean {
  if (groups.length !== address.groups.length) return false
  return clearHostBits(address.groups, bits).every((group, index) => group === groups[index])
}

/** True for text that is meant as networks, such as `^10[.]0[.]0[.]0/8$`: as a pattern it would match no address. */
export function looksLikeNetwork(pattern: string): boolean {
  const text = pattern.replaceAll(/[\\[\]()^$\s]/g, '')
  return text.includes('/') && /^[0-9a-f.:]+\/\d{0,3}([,|][0-9a-f.:]+(\/\d{0,3})?)*$/i.test(text)
}

function groupsOf4(address: string): number[] | undefined {
  // No leading zeros: some programs read them as octal.
  if (!/^(0|[1-9]\d{0,2})(\.(0|[1-9]\d{0,2})){3}$/.test(address)) return undefined
  const groups = address.split('.').map(Number)
  return groups.every((group) => group < 256) ? groups : undefined
}

function groupsOf6(address: string): number[] | undefined {
  if (!URL.canParse(`http://[${address}]`)) return undefined
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array<string>(8 - left.length - right.length).fill('0')
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16))
}

/** Zeroes the host bits of groups as in {@link Network}. @param bits length of the network */
export function clearHostBits(groups: readonly number[], bits: number): number[] {
  const size = groups.length === 4 ? 8 : 16
  return groups.map((group, index) => {
    const free = Math.min(size, Math.max(0, size * (index + 1) - bits))
    return (group >> free) << free
  })
}

function textOf(groups: readonly number[]): string {
  if (groups.length === 4) return groups.join('.')
  return new URL(`http://[${groups.map((group) => group.toString(16)).join(':')}]`).hostname.slice(1, -1)
}
