// Egress check of user-supplied addresses, against server-side request forgery: a name is resolved once, every answer
// is checked, and the checked address – never the name – is dialled.
import { isIP } from 'node:net'
import { systemClock } from '@bowline/base/clock'
import { addressRanges, plainAddress } from './address.ts'
import { type Resolve, limitLookups, systemResolve } from './lookups.ts'

/**
 * Never allowed: this machine, link-local (and cloud metadata services), unspecified, multicast and reserved addresses,
 * those not globally reachable by the special-purpose registries (RFC 6890), and encodings that embed them.
 */
const NEVER = addressRanges([
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
  // Embedded IPv4 addresses: NAT64, 6to4, compatible and translated forms.
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '::/96',
  '::ffff:0:0:0/96',
  '2002::/16',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001:db8::/32',
  '2620:4f:8000::/48',
  '3fff::/20',
  '5f00::/16',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  // Metadata services outside of the link-local range: Azure's is a public address, the others are in private networks.
  '168.63.129.16',
  '100.100.100.200',
  'fd00:ec2::/32',
  'fd00:42::42',
  'fd00:c1::a9fe:a9fe',
  'fd20:ce::254',
])
/** Private networks: only where the operator allows them, because in the cloud they belong to others. */
const PRIVATE = addressRanges(['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'])

export interface EgressRules {
  readonly privateNetworks: boolean
  /** Ranges that the operator always allows. */
  readonly allowed: (address: string) => boolean
  /** Tells the operator which address was refused; whoever typed the name does not learn it. */
  readonly refused?: (host: string, address: string) => void
}

/** `unresolved`: the name may have an address later. */
export type EgressAnswer = { readonly address: string } | { readonly refused: string; readonly unresolved: boolean }

const ownResolve = limitLookups(systemResolve, systemClock)

/**
 * Checks the addresses behind a host name or address.
 * @returns the address to dial, or the reason for a refusal, which names no address that the caller has not typed. One
 *   bad answer among several refuses all of them: the next lookup may return another one
 */
export async function judgeEgress(
  host: string,
  rules: EgressRules,
  resolve: Resolve = ownResolve,
): Promise<EgressAnswer> {
  const bare = host.replace(/^\[|\]$/g, '')
  let addresses: readonly string[]
  try {
    addresses = isIP(bare) ? [bare] : looksNumeric(bare) ? [] : await resolve(bare)
  } catch {
    return { refused: `${host} cannot be resolved`, unresolved: true }
  }
  const [first] = addresses
  if (first === undefined) return { refused: `${host} is no address that can be dialled`, unresolved: false }
  const bad = addresses.map((address) => plainAddress(address)).find((address) => !mayDial(address, rules))
  if (bad === undefined) return { address: plainAddress(first) }
  rules.refused?.(host, bad)
  const refused = isIP(bare) === 0 ? `${host} leads to an address that is not allowed` : `${host} is not allowed`
  return { refused, unresolved: false }
}

function mayDial(address: string, rules: EgressRules): boolean {
  if (isIP(address) === 0) return false
  if (rules.allowed(address)) return true
  return !NEVER(address) && (rules.privateNetworks || !PRIVATE(address))
}

/** Forms such as 2130706433, 0x7f.1 and 017700000001, which resolvers accept as addresses. */
function looksNumeric(host: string): boolean {
  return /^(0x[0-9a-f]*|\d+)(\.(0x[0-9a-f]*|\d+))*\.?$/i.test(host)
}
