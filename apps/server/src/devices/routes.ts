// Routes of devices.
import { BowlineError, fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import type { RateLimiter } from '@bowline/base/rate-limiter'
import { sendLines } from '../http/attachment.ts'
import { type Route, memberRoute, publicRoute } from '../http/route.ts'
import { sourceKey } from '../platform/network/address.ts'
import { type RecordingRemoval, personOf } from '../context.ts'
import { historyOf } from '../device-health/service.ts'
import { acceptHostKey } from './enrolled/host-key.ts'
import { deviceUid } from './identity.ts'
import type { RecentRefusals } from './refusals/recent-refusals.ts'
import { type RegistrationDeps, registerDevice } from './registration.ts'
import { setStatus, undoAccept } from './acceptance.ts'
import { exported, facets, list, positions } from './list/service.ts'
import { addTag, get, remove, removeTag, setTags, update } from './service.ts'

interface DeviceRouteLimits {
  readonly registrations: RateLimiter
  readonly exports: RateLimiter
  readonly refusals: RecentRefusals
}

/**
 * @param registrations rate limit per source: the call needs no credential
 * @param exports rate limit per person: each reads every device that matches
 * @param refusals those of the last seconds
 * @param removal records the removal of a device's recordings
 */
export function deviceRoutes(
  deps: RegistrationDeps,
  { registrations, exports, refusals }: DeviceRouteLimits,
  removal: RecordingRemoval,
): Route[] {
  const { auth } = operations
  return [
    publicRoute(auth.authenticateDevice, async ({ source }, { body }) => {
      const { tenant_id: tenant, public_key: publicKey, identity } = body
      const uid = deviceUid({ mac: identity?.mac ?? '', publicKey, tenant })
      // With another install key, or none, the answer may be another.
      const device = `${uid} ${body.install_key ?? ''}`
      const refusal = refusals.recall(tenant) ?? refusals.recall(device)
      if (refusal) throw refusal
      if (!registrations.take(sourceKey(source))) fail('TOO_MANY_REQUESTS', { seconds: 1 })
      try {
        return await registerDevice(deps, body, source)
      } catch (error) {
        if (!(error instanceof BowlineError)) throw error
        if (error.code === 'NOT_FOUND') refusals.remember(tenant, error)
        if (error.code === 'TOO_MANY_REQUESTS' || error.code === 'INSTALL_KEY_REFUSED') refusals.remember(device, error)
        throw error
      }
    }),
    memberRoute(operations.health.ofDevice, (ctx, { params, query }) => historyOf(ctx, params.uid, query.period)),
    ...(['devices', 'containers'] as const).flatMap((kind) => [
      memberRoute(operations[kind].list, (ctx, { query }) => list(ctx, kind, query)),
      memberRoute(operations[kind].facets, (ctx, { query }) => facets(ctx, kind, query)),
      memberRoute(operations[kind].export, async (ctx, { query }) => {
        if (!exports.take(personOf(ctx.actor) ?? ctx.tenant)) fail('TOO_MANY_REQUESTS', { seconds: 10 })
        const chunks = await exported(ctx, kind, query, () => ctx.isStillAdmitted())
        return sendLines(ctx, kind, query.format, chunks)
      }),
      memberRoute(operations[kind].get, (ctx, { params }) => get(ctx, params.uid)),
      memberRoute(operations[kind].update, (ctx, { params, body }) => update(ctx, params.uid, body)),
      memberRoute(operations[kind].undoAccept, (ctx, { params }) => undoAccept(ctx, params.uid)),
      memberRoute(operations[kind].addTag, (ctx, { params, body }) => addTag(ctx, params.uid, body.tag)),
      memberRoute(operations[kind].setTags, (ctx, { params, body }) => setTags(ctx, params.uid, body.tags)),
      memberRoute(operations[kind].removeTag, (ctx, { params }) => removeTag(ctx, params.uid, params.tag)),
      memberRoute(operations[kind].remove, (ctx, { params }) => remove(ctx, params.uid, removal)),
      memberRoute(operations[kind].setStatus, (ctx, { params }) => setStatus(ctx, params.uid, params.status)),
    ]),
    memberRoute(operations.devices.positions, (ctx, { query }) => positions(ctx, query)),
    memberRoute(operations.devices.acceptHostKey, (ctx, { params, body }) =>
      acceptHostKey(ctx, params.uid, body.fingerprint),
    ),
    memberRoute(operations.devices.rename, (ctx, { params, body }) => update(ctx, params.uid, body)),
  ]
}
