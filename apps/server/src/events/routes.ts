// The live stream of a namespace as server-sent events, read by clients with fetch streaming. It lives no longer than
// the credential that opened it.
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import { type MemberContext, type Route, memberRoute } from '../http/route.ts'
import type { AccessChanges } from '../auth/access-changes.ts'
import type { EventBus } from './bus.ts'
import { streamEvents } from './stream.ts'

/**
 * @param access tells when somebody's tokens or memberships have ended
 * @param stopping aborted when the server ends: streams would keep it open
 */
export function eventRoutes(bus: EventBus, access: AccessChanges, stopping: AbortSignal): Route[] {
  return [memberRoute(operations.events.stream, (context) => Promise.resolve(open(bus, access, stopping, context)))]
}

function open(bus: EventBus, access: AccessChanges, stopping: AbortSignal, context: MemberContext): undefined {
  const { actor, tenant, clock, request, reply } = context
  if (actor.kind !== 'user') return fail('USER_TOKEN_REQUIRED')
  if (stopping.aborted) return fail('UNAVAILABLE', { what: 'it is stopping' })
  reply.hijack()
  reply.raw.writeHead(200, {
    ...Object.fromEntries(Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)])),
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  })
  const lastId = request.headers['last-event-id']
  const listener = {
    tenant,
    lastId: typeof lastId === 'string' ? lastId : undefined,
    expiresAt: actor.expiresAt * 1_000,
    isStillAdmitted: () => context.isStillAdmitted(),
    onAccessChange: (look: () => void) => access.subscribe(actor.id, look),
  }
  streamEvents({ bus, clock, stopping }, listener, reply.raw)
  return undefined
}
