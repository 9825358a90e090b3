// Makes the proofs of an order visible: in the database, where every node finds them, or in DNS.
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Schema } from '../../db/schema.ts'
import type { Log } from '../../platform/log.ts'
import { AcmeError } from '../acme/errors.ts'
import type { Proof } from '../acme/order.ts'
import * as store from '../store.ts'
import { recordOf, runHook } from './dns-hook.ts'

export interface ProofParts {
  readonly db: Kysely<Schema>
  readonly clock: Clock
  readonly log: Log
  readonly hook: string | undefined
  /** Time that an order may take, in milliseconds: proofs are forgotten after it. */
  readonly lifeMs: number
}

/**
 * Makes a proof visible.
 * @param signal ends a program that adds it, not one that removes it
 * @returns removes it again; a failure of that is logged only
 * @throws {AcmeError} when the program fails
 */
export async function showProof(parts: ProofParts, proof: Proof, signal: AbortSignal): Promise<() => Promise<void>> {
  const { db, clock, log, hook, lifeMs } = parts
  const { kind, name, token, answer } = proof
  if (kind !== 'dns-01') {
    const now = clock.now()
    await store.putChallenge(db, { kind, token, name, answer, expires_at: new Date(now + lifeMs) }, new Date(now))
    return () => store.removeChallenge(db, kind, token)
  }
  if (hook === undefined) throw new AcmeError('BOWLINE_ACME_DNS_HOOK is not set.')
  const record = recordOf(name, answer)
  const remove = (): Promise<void> =>
    runHook(hook, 'remove', record, new AbortController().signal).catch((error: unknown) =>
      log.warn('certificate.error', { err: error }),
    )
  try {
    await runHook(hook, 'add', record, signal)
  } catch (error) {
    // It may have got halfway.
    await remove()
    throw error
  }
  return remove
}

/** Key authorization of a token, for a name with a pending order of any node. @param now milliseconds since the epoch */
export function findHttpAnswer(
  db: Kysely<Schema>,
  token: string,
  name: string,
  now: number,
): Promise<string | undefined> {
  return store.findHttpAnswer(db, token, name, new Date(now))
}

/** Key authorization of a name with a pending order of any node. @param now milliseconds since the epoch */
export function findTlsAnswer(db: Kysely<Schema>, name: string, now: number): Promise<string | undefined> {
  return store.findTlsAnswer(db, name, new Date(now))
}
