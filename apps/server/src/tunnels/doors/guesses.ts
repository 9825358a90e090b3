// Guesses at the passwords of tunnels: counted per source, per network and in all, over all nodes. As at sign-in, the
// wider bounds do not hold where somebody has come in from lately: strangers who guess lock out strangers only.
import type { Rate, Rates } from '../../budgets/rates.ts'
import { networkKey, sourceKey } from '../../platform/network/address.ts'
import type { LiveTunnel } from '../live.ts'
import { markOf } from './passes.ts'

const OF_SOURCE: Rate = { name: 'tunnel-guess', perSecond: 1 / 30, burst: 10 }
/** A customer of an IPv6 provider has thousands of sources. */
const OF_NETWORK: Rate = { name: 'tunnel-guess-of-network', perSecond: 1 / 10, burst: 60 }
/** Of all sources and networks together. */
export const GUESSES_OF_ALL: Rate = { name: 'tunnel-guess-of-all', perSecond: 1 / 2, burst: 1_000 }
/** Empty for as long as a source is known. */
const ENTRY: Rate = { name: 'tunnel-entry', perSecond: 1 / (7 * 86_400), burst: 1 }

type Door = Pick<LiveTunnel, 'address' | 'passwordHash'>

export interface Guesses {
  /** Counts a guess before its password is checked, so that concurrent ones do not pass together. @returns whether it may be checked */
  begin(tunnel: Door, remote: string): Promise<boolean>
  /** The guess was right: it does not count, and its source is known until the password changes. */
  admit(tunnel: Door, remote: string): Promise<void>
}

export function countGuesses(rates: Rates): Guesses {
  const entryKey = ({ address, passwordHash = '' }: Door, remote: string): string =>
    `${address} ${markOf(passwordHash)} ${sourceKey(remote)}`

  async function boundsOf(tunnel: Door, remote: string) {
    const { address } = tunnel
    const own = { rate: OF_SOURCE, key: `${address} ${sourceKey(remote)}` }
    if (!(await rates.has(ENTRY, entryKey(tunnel, remote)))) return [own]
    return [own, { rate: OF_NETWORK, key: `${address} ${networkKey(remote)}` }, { rate: GUESSES_OF_ALL, key: address }]
  }

  return {
    async begin(tunnel, remote) {
      const taken: { readonly rate: Rate; readonly key: string }[] = []
      for (const bound of await boundsOf(tunnel, remote)) {
        if (await rates.take(bound.rate, bound.key)) taken.push(bound)
        else {
          await Promise.all(taken.map(({ rate, key }) => rates.refund(rate, key)))
          return false
        }
      }
      return true
    },
    async admit(tunnel, remote) {
      const bounds = await boundsOf(tunnel, remote)
      await Promise.all(bounds.map(({ rate, key }) => rates.refund(rate, key)))
      await rates.take(ENTRY, entryKey(tunnel, remote))
    },
  }
}
