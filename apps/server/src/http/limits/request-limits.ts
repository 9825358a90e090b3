// Rate limits per user, per namespace, per source without credentials and per source with wrong ones. Sign-ins,
// registrations and terminals have tighter limits of their own: compose/http.ts.
import { createHash } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import type { Operation } from '@bowline/contract/operation'
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import { sourceKey } from '../../platform/network/address.ts'
import type { RequestContext } from '../route.ts'

/** Tokens per second; a call takes its cost. */
const PERSON = { perSecond: 200, burst: 2_000 }
const NAMESPACE = { perSecond: 800, burst: 8_000 }
/** Calls without a credential per source: an office behind one address, or a rack that reconnects at once. */
const PUBLIC = { perSecond: 100, burst: 1_000 }
/** Refused credentials. */
const GUESSES = { perSecond: 10, burst: 200 }
/** Cost of a filter's conditions on top of the list. */
const FILTER_COST = 5
const MAX_GOOD = 10_000

export interface RequestLimits {
  /**
   * Call before a credential is checked. A recently accepted one passes: another client at the same address may be
   * guessing.
   * @throws {BowlineError} TOO_MANY_REQUESTS
   */
  mayGuess(source: string, credential: string): void
  accepted(credential: string): void
  refused(source: string): void
  /** Call after the check. @throws {BowlineError} TOO_MANY_REQUESTS */
  mayCall(operation: Operation, context: RequestContext): void
}

/** @param isExempt sources without limits: many clients share their address */
export function createRequestLimits(clock: Clock, isExempt: (address: string) => boolean): RequestLimits {
  const people = new RateLimiter(clock, PERSON)
  const namespaces = new RateLimiter(clock, NAMESPACE)
  const sources = new RateLimiter(clock, PUBLIC)
  const guesses = new RateLimiter(clock, GUESSES)
  /** Digests of recently accepted credentials. */
  const good = new Set<string>()
  return {
    mayGuess(source, credential) {
      if (isExempt(source) || guesses.has(sourceKey(source)) || good.has(digest(credential))) return
      fail('TOO_MANY_REQUESTS', { seconds: 1 })
    },
    accepted(credential) {
      const key = digest(credential)
      // Most recent last: the first one is evicted.
      good.delete(key)
      good.add(key)
      if (good.size > MAX_GOOD) good.delete(String(good.values().next().value))
    },
    refused(source) {
      guesses.take(sourceKey(source))
    },
    mayCall(operation, context) {
      if (!('actor' in context)) {
        if (isExempt(context.source) || sources.take(sourceKey(context.source))) return
        return fail('TOO_MANY_REQUESTS', { seconds: 1 })
      }
      const { actor } = context as RequestContext & {
        actor: { kind: string; id?: string; name?: string; tenant?: string }
      }
      const cost = costOf(operation, context)
      const person = `${actor.kind} ${actor.tenant ?? ''} ${actor.id ?? actor.name ?? ''}`
      if (!people.take(person, cost)) fail('TOO_MANY_REQUESTS', { seconds: 1 })
      if (actor.tenant && !namespaces.take(actor.tenant, cost)) fail('TOO_MANY_REQUESTS', { seconds: 1 })
    },
  }
}

function digest(credential: string): string {
  return createHash('sha256').update(credential).digest('base64')
}

function costOf({ cost = 1 }: Operation, { request }: RequestContext): number {
  const { filter } = (request.query ?? {}) as { filter?: unknown }
  return cost + (filter === undefined ? 0 : FILTER_COST)
}
