// Routes of the sign-in of programs.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import type { RateLimiter } from '@bowline/base/rate-limiter'
import { WaitingRoom } from '../../budgets/waiting.ts'
import { type RequestContext, type Route, originOf, publicRoute, userRoute } from '../../http/route.ts'
import { sourceKey } from '../../platform/network/address.ts'
import type { AuthDeps } from '../service.ts'
import { decideProgram, describeProgram, exchangeCode, renewProgram, startProgramSignIn } from './service.ts'

/**
 * @param signIns rate limit per source, shared with the other sign-ins
 * @param place names the place of an address, '' when unknown
 */
export function programRoutes(deps: AuthDeps, signIns: RateLimiter, place: (address: string) => string): Route[] {
  const { programs } = operations
  const room = new WaitingRoom('program_codes', LIMITS.programCode)
  const requireRate = ({ source }: RequestContext): void => {
    if (!signIns.take(sourceKey(source))) fail('TOO_MANY_REQUESTS', { seconds: 1 })
  }
  return [
    publicRoute(programs.start, (context, { body }) => {
      requireRate(context)
      return startProgramSignIn(deps, room, body.name, originOf(context))
    }),
    publicRoute(programs.token, (context, { body }) => {
      requireRate(context)
      const origin = originOf(context)
      return 'device_code' in body
        ? exchangeCode(deps, body.device_code, origin)
        : renewProgram(deps, body.refresh_token, origin)
    }),
    userRoute(programs.describe, async ({ actor }, { body }) => {
      const program = await describeProgram(deps, actor, body.user_code)
      return { ...program, place: place(program.source) }
    }),
    userRoute(programs.decide, (context, { body }) =>
      decideProgram(deps, context.actor, { typed: body.user_code, approve: body.approve }, originOf(context)),
    ),
  ]
}
