// Password hashes: argon2id, at most one per core at a time (each takes 19 MiB and some milliseconds of a core). Sources
// take turns, so that strangers who sign in from many places delay others by one round, not by their whole queue.
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { verify as verifyBcrypt } from '@node-rs/bcrypt'
import { Semaphore } from '@bowline/base/semaphore'
import { fail } from '@bowline/contract/errors'
import { sourceKey } from '../../platform/network/address.ts'
import { argon2Check, decoyOf, isBcrypt } from './foreign-hashes.ts'

/** The library's default algorithm is argon2id. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Maximum of queued hashes, some seconds' worth; beyond it the source with the most is refused. */
const QUEUE = 500

export interface PasswordHasher {
  /** @param source address of the caller, which hashes are shared out by; '' for the server itself */
  hash(password: string, source?: string): Promise<string>
  /** @param stored undefined for unknown accounts: takes the same time and returns false */
  verify(stored: string | undefined, password: string, source?: string): Promise<boolean>
  /**
   * Verifies the password of an account, whose hash may come from another server. Wrong passwords and unknown accounts cost the
   * same, whatever the kind of the hash.
   * @param stored undefined for unknown accounts
   * @param bcryptCost highest cost of the bcrypt hashes that accounts have; undefined if there are none
   */
  check(
    stored: string | undefined,
    password: string,
    options: { readonly source: string; readonly bcryptCost: number | undefined },
  ): Promise<PasswordCheck>
}

export interface PasswordCheck {
  readonly matches: boolean
  /** A hash of ours for the right password, if the stored one comes from another server. */
  readonly replacement?: string
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

  async function check(
    stored: string | undefined,
    password: string,
    bcryptCost: number | undefined,
  ): Promise<PasswordCheck> {
    const bcrypt = stored !== undefined && isBcrypt(stored) ? stored : undefined
    const decoy = bcryptCost === undefined ? undefined : decoyOf(bcryptCost)
    const compared = bcrypt ?? decoy
    const isOld = compared !== undefined && (await verifyBcrypt(password, compared).catch(() => false))
    if (bcrypt !== undefined && isOld) return { matches: true, replacement: await hash(password, OPTIONS) }
    const own = argon2Check(bcrypt === undefined ? (stored ?? nobody) : nobody, password)
    const isOwn = await verify(own.hash, own.text).catch(() => false)
    if (!isOwn || stored === undefined || bcrypt !== undefined) return { matches: false }
    return own.isWrapped ? { matches: true, replacement: await hash(password, OPTIONS) } : { matches: true }
  }

  return {
    hash: (password, source = '') => limited(source, () => hash(password, OPTIONS)),
    verify: (stored, password, source = '') =>
      limited(source, async () => {
        const matches = await verify(stored ?? nobody, password).catch(() => false)
        return matches && stored !== undefined
      }),
    check: (stored, password, { source, bcryptCost }) => limited(source, () => check(stored, password, bcryptCost)),
  }
}
