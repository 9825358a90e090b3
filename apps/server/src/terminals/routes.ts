// Calls that make tickets for web terminals. The device is the namespace's own; who may reach it is judged at sign-in.
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import { TERMINAL } from '@bowline/contract/terminal/messages'
import { personOf } from '../context.ts'
import { get } from '../devices/service.ts'
import { type MemberContext, type Route, memberRoute } from '../http/route.ts'
import { sourceKey } from '../platform/address.ts'
import type { Limiter } from '../platform/limiter.ts'
import type { TicketTarget, Tickets } from './tickets.ts'

/** @param attempts how often one source may ask */
export function terminalRoutes(tickets: Tickets, attempts: Limiter): Route[] {
  const { terminals } = operations
  async function issue(ctx: MemberContext, target: Omit<TicketTarget, 'tenant' | 'person'>): Promise<string> {
    if (!attempts.take(sourceKey(ctx.source))) fail('TOO_MANY_REQUESTS', { seconds: 1 })
    await get(ctx, target.device)
    return tickets.issue({ ...target, tenant: ctx.tenant, person: personOf(ctx.actor) })
  }
  return [
    memberRoute(terminals.open, async (ctx, { params, body }) => ({
      ticket: await issue(ctx, { device: params.uid, username: body.username }),
      expires_in: TERMINAL.ticketSeconds,
    })),
    memberRoute(terminals.openLegacy, async (ctx, { body }) => {
      const { device, username, password, fingerprint } = body
      const credential = fingerprint === undefined ? { password: password ?? '' } : { fingerprint }
      return { token: await issue(ctx, { device, username, credential }) }
    }),
  ]
}
