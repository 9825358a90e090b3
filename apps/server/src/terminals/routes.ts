// Issues tickets for web terminals; access to the device is checked at login. Members request a device of their
// namespace. Existing clients send no credential: for them the endpoint is as open as the SSH port, with the same
// limits.
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import { TERMINAL } from '@bowline/contract/terminal/messages'
import type { RateLimiter } from '@bowline/base/rate-limiter'
import type { DeviceUid } from '@bowline/contract/schemas/common'
import { type Actor, type UserActor, personOf } from '../context.ts'
import { get } from '../devices/service.ts'
import { type RequestContext, type Route, memberRoute, publicRoute } from '../http/route.ts'
import { sourceKey } from '../platform/network/address.ts'
import { joinable } from '../sessions/service.ts'
import type { JoinTarget, LegacyTarget, TicketTarget, Tickets } from './tickets.ts'

export interface TerminalRoutesParts {
  readonly tickets: Pick<Tickets<TicketTarget>, 'issue'>
  readonly legacyTickets: Pick<Tickets<LegacyTarget>, 'issue'>
  readonly joinTickets: Pick<Tickets<JoinTarget>, 'issue'>
  /** Refuses an actor who lacks the second factor that the device's namespace asks for. */
  readonly requireFactor: (actor: Actor, device: DeviceUid, source: string) => Promise<unknown>
  /** Rate limit of requests per source. */
  readonly attempts: RateLimiter
  /** Rate limit of requests to join, per person: each disturbs somebody. */
  readonly joins: RateLimiter
}

export function terminalRoutes({ attempts, joins, requireFactor, ...parts }: TerminalRoutesParts): Route[] {
  const { tickets, legacyTickets, joinTickets } = parts
  const { sessions, terminals } = operations
  function sourceOf({ source }: RequestContext): string {
    const key = sourceKey(source)
    return attempts.take(key) ? key : fail('TOO_MANY_REQUESTS', { seconds: 1 })
  }
  return [
    memberRoute(terminals.open, async (ctx, { params, body }) => {
      const source = sourceOf(ctx)
      await get(ctx, params.uid)
      await requireFactor(ctx.actor, params.uid, ctx.source)
      const name = ctx.actor.kind === 'user' ? ctx.actor.username : undefined
      const whom = { person: personOf(ctx.actor), name }
      const target = { tenant: ctx.tenant, device: params.uid, username: body.username, ...whom }
      return { ticket: await tickets.issue(target, source), expires_in: TERMINAL.ticketSeconds }
    }),
    memberRoute(sessions.join, async (ctx, { params: { uid: session } }) => {
      const source = sourceOf(ctx)
      const { actor, tenant } = ctx
      if (actor.kind !== 'user') return fail('USER_TOKEN_REQUIRED')
      const { id: person, username: name } = actor
      const { device, node } = await joinable(ctx, session)
      if (!joins.take(person)) fail('TOO_MANY_REQUESTS', { seconds: 10 })
      await requireFactor(actor, device, ctx.source)
      const target = { tenant, session, node, person, name, signIn: signInOf(actor) }
      return { ticket: await joinTickets.issue(target, source), expires_in: TERMINAL.ticketSeconds }
    }),
    publicRoute(terminals.openLegacy, async (ctx, { body }) => {
      const { device, username, password, fingerprint, signature } = body
      const credential = fingerprint ? { fingerprint, signature: signature || undefined } : { password: password ?? '' }
      return { token: await legacyTickets.issue({ device, username, credential }, sourceOf(ctx)) }
    }),
  ]
}

/** A browser session renews its tokens; the other sign-ins end with theirs. */
function signInOf({ family, login, expiresAt }: UserActor): JoinTarget['signIn'] {
  if (family !== undefined) return { id: family }
  return { id: login ?? '', endsAt: expiresAt * 1_000 }
}
