// Routes of exports.
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import type { Actor, UserActor } from '../context.ts'
import { type Route, memberRoute, publicRoute } from '../http/route.ts'
import { type ExportDeps, createExports, requestExport } from './service.ts'

export function exportRoutes(deps: ExportDeps): Route[] {
  const exports = createExports(deps)
  const person = (actor: Actor): UserActor => (actor.kind === 'user' ? actor : fail('USER_TOKEN_REQUIRED'))
  return [
    memberRoute(operations.namespaces.export, (ctx) => requestExport(deps, ctx, person(ctx.actor))),
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
