// Routes of exports.
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import type { Actor, UserActor } from '../context.ts'
import { type RequestContext, type Route, memberRoute, originOf, publicRoute, userRoute } from '../http/route.ts'
import { whenClosed } from '../http/response/when-closed.ts'
import { accountExports, requestAccountExport } from './account.ts'
import { type Exports, createExports } from './runs.ts'
import { type ExportDeps, namespaceExports, requestExport } from './service.ts'

export function exportRoutes(deps: ExportDeps): Route[] {
  const { namespaces, users } = operations
  const ofNamespaces = createExports(deps, namespaceExports(deps))
  const ofAccounts = createExports(deps, accountExports(deps))
  const person = (actor: Actor): UserActor => (actor.kind === 'user' ? actor : fail('USER_TOKEN_REQUIRED'))
  return [
    memberRoute(namespaces.export, (ctx) => requestExport(deps, ctx, person(ctx.actor))),
    publicRoute(namespaces.download, (context, { params }) => send(ofNamespaces, context, params.link)),
    userRoute(users.export, (context) => requestAccountExport(deps, context.actor.id, originOf(context))),
    publicRoute(users.downloadExport, (context, { params }) => send(ofAccounts, context, params.link)),
  ]
}

async function send(exports: Exports, context: RequestContext, link: string): Promise<undefined> {
  const { request, reply } = context
  // The link works once: whoever only looks must not use it up.
  if (request.method === 'HEAD') fail('NOT_FOUND', { what: 'The export' })
  const { name, stream } = await exports.open(link, context)
  whenClosed(reply.raw, () => void stream.destroy())
  void reply
    .type('application/gzip')
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'no-store')
  await reply.send(stream)
  return undefined
}
