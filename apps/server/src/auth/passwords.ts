// Password hashes: argon2id, at most one per core at a time (each takes 19 MiB and some milliseconds of a core).
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { Semaphore } from '@bowline/base/semaphore'
import { fail } from '@bowline/contract/errors'

/** The library's default algorithm is argon2id. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Maximum of queued hashes, some seconds' worth; beyond it sign-in is refused at once. */
const QUEUE = 500

export interface PasswordHasher {
  hash(password: string): Promise<string>
  /** @param stored undefined for unknown accounts: takes the same time and returns false */
  verify(stored: string | undefined, password: string): Promise<boolean>
}

export async function createPasswordHasher(): Promise<PasswordHasher> {
  const semaphore = new Semaphore(availableParallelism(), QUEUE)
  const limited = async <T>(task: () => Promise<T>): Promise<T> => {
    const outcome = await semaphore.run(async () => ({ value: await task() }))
    return outcome ? outcome.value : fail('UNAVAILABLE', { what: 'too many such calls are under way' })
  }
  const nobody = await hash('no account has this password', OPTIONS)
  return {
    hash: (password) => limited(() => hash(password, OPTIONS)),
    verify: (stored, password) =>
      limited(async () => {
        const matches = await verify(stored ?? nobody, password).catch(() => false)
        return matches && stored !== undefined
      }),
  }
}
