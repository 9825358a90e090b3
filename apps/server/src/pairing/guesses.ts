// Guesses at pairing codes: counted per person and per network over all nodes, and before a code is looked up, so that
// concurrent ones do not pass together. Whoever guesses one gets a stranger's machine.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Rate, Rates } from '../budgets/rates.ts'
import { type Actor, personOf } from '../context.ts'
import { networkKey } from '../platform/network/address.ts'

const HOUR_SECONDS = 3_600

function hourly(name: string, count: number): Rate {
  return { name, perSecond: count / HOUR_SECONDS, burst: count }
}

const OF_PERSON = hourly('pairing-guess', LIMITS.pairingCode.guessesPerHour)
const OF_NETWORK = hourly('pairing-guess-of-network', LIMITS.pairingCode.guessesPerNetworkAndHour)

/**
 * Looks a code up for somebody.
 * @param find resolves with undefined for a wrong code: that counts, whatever is wrong with it
 * @throws {BowlineError} NOT_FOUND; TOO_MANY_REQUESTS after many wrong codes of the person or from the network
 */
export async function guess<T>(
  rates: Rates,
  { actor, source }: { readonly actor: Actor; readonly source: string },
  find: () => Promise<T | undefined>,
): Promise<T> {
  const bounds = [
    { rate: OF_PERSON, key: personOf(actor) ?? actor.kind },
    { rate: OF_NETWORK, key: networkKey(source) },
  ]
  const taken: typeof bounds = []
  const refund = (): Promise<unknown> => Promise.all(taken.map(({ rate, key }) => rates.refund(rate, key)))
  for (const bound of bounds) {
    if (await rates.take(bound.rate, bound.key)) taken.push(bound)
    else {
      await refund()
      return fail('TOO_MANY_REQUESTS', { seconds: Math.ceil(1 / bound.rate.perSecond) })
    }
  }
  const found = await find()
  if (found === undefined) return fail('NOT_FOUND', { what: 'The code' })
  await refund()
  return found
}
