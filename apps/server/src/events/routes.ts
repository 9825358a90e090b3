// The live stream of a namespace as server-sent events, read by clients with fetch streaming. It ends with the
// credential that opened it.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import { operations } from '@bowline/contract/operations'
import { type MemberContext, type Route, memberRoute } from '../http/route.ts'
import type { AccessChanges } from '../auth/access-changes.ts'
import { sourceKey } from '../platform/network/address.ts'
import { type Shares, createShares } from '../platform/shares.ts'
import type { EventBus } from './bus.ts'
import { createQueueLedger } from './queued.ts'
import { type StreamDeps, streamEvents } from './stream.ts'

const RETRY_SECONDS = 15

/**
 * @param access reports ended tokens and memberships
 * @param stopping aborted when the server stops: open streams would keep it running
 */
export function eventRoutes(bus: EventBus, access: AccessChanges, stopping: AbortSignal): Route[] {
  const { perPerson, perNamespace, perSource, perProcess } = LIMITS.eventStreams
  const open = createShares(perProcess, { person: perPerson, namespace: perNamespace, source: perSource })
  const deps = { bus, access, stopping, open, queues: createQueueLedger() }
  return [memberRoute(operations.events.stream, (context) => Promise.resolve(openStream(deps, context)))]
}

interface EventDeps extends Omit<StreamDeps, 'clock'> {
  readonly access: AccessChanges
  readonly open: Shares
}

/**
 * @throws {BowlineError} TOO_MANY_REQUESTS when the person, the namespace, the source or the server has too many
 *   streams
 */
function openStream({ open, access, ...deps }: EventDeps, context: MemberContext): undefined {
  const { actor, tenant, clock, request, reply } = context
  if (actor.kind !== 'user') return fail('USER_TOKEN_REQUIRED')
  if (deps.stopping.aborted) return fail('UNAVAILABLE', { what: 'it is stopping' })
  // The client has left while it was admitted: nothing would release its share.
  if (reply.raw.destroyed) return undefined
  const share = open.take({ person: actor.id, namespace: tenant, source: sourceKey(context.source) })
  if (share.refused !== undefined) return fail('TOO_MANY_REQUESTS', { seconds: RETRY_SECONDS })
  reply.raw.once('close', share.release)
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
  streamEvents({ ...deps, clock }, listener, reply.raw)
  return undefined
}
