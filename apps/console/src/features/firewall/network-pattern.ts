// Networks that rules of an earlier version keep as a pattern (RE2), so that they are shown as networks. The pattern
// matches exactly the network's addresses as the gateway writes them: decimal for IPv4, the canonical text of RFC 5952 for
// IPv6.

import { type Network, clearHostBits, networkText, parseNetwork } from '@bowline/contract/schemas/policy/network'

const DOT = '[.]'
const HEX = '[0-9a-f]'
const GROUP = `${HEX}{1,4}`

/**
 * The pattern of `address/bits`, or of a single address.
 * @returns undefined when the text is neither
 */
export function patternOfNetwork(text: string): string | undefined {
  const network = parseNetwork(text)
  if (!network) return undefined
  return network.groups.length === 4 ? patternOf4(network) : patternOf6(network)
}

/** The network that a pattern was made from. @returns undefined for a handwritten pattern */
export function networkOfPattern(pattern: string): string | undefined {
  const candidates = pattern.includes(DOT) ? networks4(pattern) : networks6(pattern)
  const made = candidates.find((one) => (one.groups.length === 4 ? patternOf4(one) : patternOf6(one)) === pattern)
  return made && networkText(made)
}

function cleared(groups: readonly number[], bits: number): Network {
  return { groups: clearHostBits(groups, bits), bits }
}

function patternOf4({ groups, bits }: Network): string {
  if (bits === 0) return DOT
  const whole = Math.floor(bits / 8)
  const parts = groups.slice(0, whole).map(String)
  const base = groups[whole]
  if (base === undefined) return `^${parts.join(DOT)}$`
  if (bits % 8 > 0) parts.push(`(${decimals(base, base + 2 ** (8 - (bits % 8)) - 1)})`)
  return `^${parts.join(DOT)}${parts.length === 4 ? '$' : DOT}`
}

/** Alternatives for the decimal numbers from `low` to `high` (at most 255). */
function decimals(low: number, high: number): string {
  const alternatives: string[] = []
  for (let value = low; value <= high;) {
    const tens = Math.floor(value / 10)
    const last = Math.min(high, tens * 10 + 9)
    // Whole tens of the same hundred share one alternative.
    const lastTens = Math.min(Math.floor((high + 1) / 10) - 1, tens + 9 - (tens % 10))
    if (value % 10 === 0 && tens > 0 && lastTens > tens) {
      alternatives.push(`${Math.floor(tens / 10) || ''}${digits(tens % 10, lastTens % 10)}${digits(0, 9)}`)
      value = (lastTens + 1) * 10
    } else {
      alternatives.push(`${tens || ''}${digits(value % 10, last % 10)}`)
      value = last + 1
    }
  }
  return alternatives.join('|')
}

const digits = (low: number, high: number): string => (low === high ? String(low) : `[${low}-${high}]`)

function patternOf6({ groups, bits }: Network): string {
  if (bits === 0) return ':'
  const whole = Math.floor(bits / 16)
  const part = bits % 16
  const fixed = groups.slice(0, whole).map((group) => group.toString(16))
  const partBase = groups[whole] ?? 0
  const known = part > 0 ? [...fixed, hexadecimals(partBase, 16 - part)] : fixed
  const rest = 8 - known.length
  // Addresses whose "::" is after the network's own groups, or absent.
  const alternatives = [`${known.join(':')}${rest > 0 ? ':' : '$'}`]
  for (const { from, to } of zeroRuns(fixed)) {
    if (to - from < 2) continue
    const after = known.slice(to)
    // A zero run that reaches the free groups has an unknown length; it is handled below.
    if (after.length > 0) {
      const free = rest > 0 ? `(:${GROUP}){${rest}}` : ''
      alternatives.push(`${fixed.slice(0, from).join(':')}::${after.join(':')}${free}$`)
    }
  }
  const mayEndInZero = part === 0 || partBase === 0
  const last = zeroRuns(fixed).find(({ to }) => to === fixed.length)
  if (mayEndInZero && (last !== undefined || (part > 0 && rest > 0))) {
    const from = last?.from ?? fixed.length
    const most = 8 - Math.max(known.length, from + 2)
    const tail = most > 0 ? `(${GROUP}(:${GROUP}){0,${most - 1}})?` : ''
    alternatives.push(`${fixed.slice(0, from).join(':')}::${tail}$`)
  }
  return alternatives.length === 1 ? `^${alternatives.join('')}` : `^(${alternatives.join('|')})`
}

/** The zero run at a position; `to` is exclusive. */
function zeroRuns(groups: readonly string[]): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = []
  for (const [i, group] of groups.entries()) {
    if (group !== '0') continue
    const last = runs.at(-1)
    if (last?.to === i) last.to = i + 1
    else runs.push({ from: i, to: i + 1 })
  }
  return runs
}

/** Hexadecimal numbers without leading zeros whose bits above the lowest `free` equal those of `base`. */
function hexadecimals(base: number, free: number): string {
  const whole = Math.ceil(free / 4) - 1
  const above = base >> (4 * (whole + 1))
  const low = (base >> (4 * whole)) & 15
  const high = low + 2 ** (free - 4 * whole) - 1
  const behind = whole === 0 ? '' : `${HEX}{${whole}}`
  if (above > 0) return `${above.toString(16)}${nibbles(low, high)}${behind}`
  if (low > 0 || whole === 0) return `${nibbles(low, high)}${behind}`
  return `(${nibbles(1, high)}${behind}|${HEX}{1,${whole}})`
}

function nibbles(low: number, high: number): string {
  if (low === high) return low.toString(16)
  return `[${Array.from({ length: high - low + 1 }, (_, i) => (low + i).toString(16)).join('')}]`
}

/** Candidate networks for an IPv4 pattern. */
function networks4(pattern: string): Network[] {
  const known = [...pattern.matchAll(/(\d+)(?=\[\.\]|\$)/g)].map(([, octet]) => Number(octet)).slice(0, 4)
  const groups = [0, 1, 2, 3].map((i) => known[i] ?? 0)
  if (pattern === DOT) return [cleared(groups, 0)]
  const whole = /^\^((?:\d+(?:\[\.\]|\$))*)/.exec(pattern)?.[1]?.match(/\d+/g)?.length ?? 0
  const found = [cleared(groups, whole * 8)]
  if (whole === 4) return found
  for (let bits = 1; bits < 8; bits += 1) {
    for (let base = 0; base < 256; base += 2 ** (8 - bits)) {
      found.push(
        cleared(
          groups.map((group, i) => (i === whole ? base : i > whole ? 0 : group)),
          whole * 8 + bits,
        ),
      )
    }
  }
  return found
}

/** Candidate networks for an IPv6 pattern. */
function networks6(pattern: string): Network[] {
  if (pattern === ':') return [cleared(Array<number>(8).fill(0), 0)]
  const start = /^\^\(?((?:[0-9a-f]{1,4}(?::|\$))*)(.*)/.exec(pattern)
  const fixed = (start?.[1]?.match(/[0-9a-f]+/g) ?? []).map((group) => Number.parseInt(group, 16))
  const found = [networkOf6(fixed, fixed.length * 16)]
  // The partially fixed group: its digits, then a choice of one.
  const [, above = '', choice = '0'] = /^\(?([0-9a-f]{0,3})\[?([0-9a-f])/.exec(start?.[2] ?? '') ?? []
  for (let bits = 1; bits < 16 && fixed.length < 8; bits += 1) {
    const whole = Math.ceil((16 - bits) / 4) - 1
    for (const digit of [above + choice, above, '0']) {
      const base = Number.parseInt(digit || '0', 16) * 16 ** whole
      if (base < 65_536) found.push(networkOf6([...fixed, base], fixed.length * 16 + bits))
    }
  }
  return found
}

function networkOf6(known: readonly number[], bits: number): Network {
  return cleared(
    [0, 1, 2, 3, 4, 5, 6, 7].map((i) => known[i] ?? 0),
    Math.min(bits, 128),
  )
}
