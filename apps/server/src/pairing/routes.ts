// Routes of pairing.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import { RateLimiter } from '@bowline/base/rate-limiter'
import { WaitingRoom } from '../budgets/waiting.ts'
import { type RequestContext, type Route, memberRoute, publicRoute } from '../http/route.ts'
import { sourceKey } from '../platform/network/address.ts'
import { type PairingDeps, confirmPairing, describePairing, pollCode, startPairing } from './service.ts'

/** Codes per second and source: a device needs one each quarter of an hour. */
const CODES = { perSecond: 0.2, burst: 60 }
/** Questions per second and source: as many as all codes of a source may ask, and some. */
const QUESTIONS = { perSecond: 20, burst: 100 }

export function pairingRoutes(deps: PairingDeps): Route[] {
  const { pairings } = operations
  const room = new WaitingRoom('pairings', LIMITS.pairingCode)
  const codes = new RateLimiter(deps.clock, CODES)
  const questions = new RateLimiter(deps.clock, QUESTIONS)
  const requireRate = (limiter: RateLimiter, { source }: RequestContext, seconds: number): void => {
    if (!limiter.take(sourceKey(source))) fail('TOO_MANY_REQUESTS', { seconds })
  }
  return [
    publicRoute(pairings.start, (context, { body }) => {
      requireRate(codes, context, Math.ceil(1 / CODES.perSecond))
      return startPairing(deps, room, body, context.source)
    }),
    publicRoute(pairings.poll, (context, { body }) => {
      requireRate(questions, context, 1)
      return pollCode(deps, body.device_code)
    }),
    memberRoute(pairings.describe, (ctx, { body }) => describePairing(deps, ctx, body.code)),
    memberRoute(pairings.confirm, (ctx, { body }) => confirmPairing(deps, ctx, body)),
  ]
}
