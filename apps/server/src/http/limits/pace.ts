// Rate limits of callers: of a person, a namespace, a source without credentials, and one whose credentials are wrong.
import { createHash } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import type { Operation } from '@bowline/contract/operation'
import type { Clock } from '@bowline/base/clock'
import { RateLimiter } from '@bowline/base/rate-limiter'
import { sourceKey } from '../../platform/network/address.ts'
import type { RequestContext } from '../route.ts'

/** Tokens a second; a call takes its cost. */
const PERSON = { perSecond: 200, burst: 2_000 }
const NAMESPACE = { perSecond: 800, burst: 8_000 }
/** Calls without a credential, of one source: an office behind one address, or a rack that comes back together. */
const PUBLIC = { perSecond: 100, burst: 1_000 }
/** Credentials that were refused. */
const GUESSES = { perSecond: 10, burst: 200 }
/** What the conditions of a filter cost beside the list. */
const FILTER_COST = 5
const MAX_GOOD = 10_000

export interface Pace {
  /**
   * Before a credential is looked at. One that was good a while ago passes: somebody else behind the same address may be
   * guessing.
   * @throws {BowlineError} TOO_MANY_REQUESTS
   */
  mayGuess(source: string, credential: string): void
  accepted(credential: string): void
  refused(source: string): void
  /** After. @throws {BowlineError} TOO_MANY_REQUESTS */
  mayCall(operation: Operation, context: RequestContext): void
}

/** @param isExempt sources that are not counted: many people come from their address */
export function createPace(clock: Clock, isExempt: (address: string) => boolean): Pace {
  const people = new RateLimiter(clock, PERSON)
  const namespaces = new RateLimiter(clock, NAMESPACE)
  const sources = new RateLimiter(clock, PUBLIC)
  const guesses = new RateLimiter(clock, GUESSES)
  /** Digests of credentials that were accepted lately. */
  const good = new Set<string>()
  return {
    mayGuess(source, credential) {
      if (isExempt(source) || guesses.has(sourceKey(source)) || good.has(digest(credential))) return
      fail('TOO_MANY_REQUESTS', { seconds: 1 })
    },
    accepted(credential) {
      const key = digest(credential)
      // The most recent last: the first is the one to forget.
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
