// Routes of exports.
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import type { Actor, UserActor } from '../context.ts'
import { type Route, memberRoute, publicRoute } from '../http/route.ts'
import { type ExportDeps, createExports, requestExport } from './service.ts'

/** @param requireRecentProof refuses a person whose second factor, or without one whose password, is not fresh */
export function exportRoutes(deps: ExportDeps, requireRecentProof: (actor: UserActor) => Promise<void>): Route[] {
  const exports = createExports(deps)
  const person = (actor: Actor): UserActor => (actor.kind === 'user' ? actor : fail('USER_TOKEN_REQUIRED'))
  return [
    memberRoute(operations.namespaces.export, async (ctx) => {
      const actor = person(ctx.actor)
      await requireRecentProof(actor)
      return requestExport(deps, ctx, actor)
    }),
    publicRoute(operations.namespaces.download, async ({ request, reply, source }, { params }) => {
      // The link works once: whoever only looks must not use it up.
      if (request.method === 'HEAD') fail('NOT_FOUND', { what: 'The export' })
      const { name, stream } = await exports.open(params.link, source)
      reply.raw.once('close', () => void stream.destroy())
      void reply
        .type('application/gzip')
        .header('content-disposition', `attachment; filename="${name}"`)
        .header('cache-control', 'no-store')
      await reply.send(stream)
      return undefined
    }),
  ]
}
