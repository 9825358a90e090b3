// Password hashes: argon2id, at most one per core at a time (each takes 19 MiB and some milliseconds of a core). Sources
// take turns, so that strangers who sign in from many places delay others by one round, not by their whole queue.
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { Semaphore } from '@bowline/base/semaphore'
import { fail } from '@bowline/contract/errors'
import { sourceKey } from '../platform/network/address.ts'

/** The library's default algorithm is argon2id. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Maximum of queued hashes, some seconds' worth; beyond it the source with the most is refused. */
const QUEUE = 500

export interface PasswordHasher {
  /** @param source address of the caller, which hashes are shared out by; '' for the server itself */
  hash(password: string, source?: string): Promise<string>
  /** @param stored undefined for unknown accounts: takes the same time and returns false */
  verify(stored: string | undefined, password: string, source?: string): Promise<boolean>
}

export async function createPasswordHasher(): Promise<PasswordHasher> {
  const semaphore = new Semaphore(availableParallelism(), QUEUE)
  const limited = async <T>(source: string, task: () => Promise<T>): Promise<T> => {
    const outcome = await semaphore.run(async () => ({ value: await task() }), source && sourceKey(source))
    return outcome
      ? outcome.value
      : fail('UNAVAILABLE', { what: 'too many such calls are under way', reason: 'overload' })
  }
  const nobody = await hash('no account has this password', OPTIONS)
  return {
    hash: (password, source = '') => limited(source, () => hash(password, OPTIONS)),
    verify: (stored, password, source = '') =>
      limited(source, async () => {
        const matches = await verify(stored ?? nobody, password).catch(() => false)
        return matches && stored !== undefined
      }),
  }
}
