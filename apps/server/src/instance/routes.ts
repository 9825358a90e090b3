// Routes of the instance.
import { fail } from '@bowline/contract/errors'
import { openApiDocument } from '@bowline/contract/openapi'
import { operations } from '@bowline/contract/operations'
import type { FastifyInstance } from 'fastify'
import { constantDocument } from '../http/files/compression.ts'
import { type Route, originOf, publicRoute } from '../http/route.ts'
import { VERSION } from '../platform/version.ts'
import { type InstanceDeps, describeInstance, setUp } from './service.ts'

export interface InstanceRouteDeps extends InstanceDeps {
  /** Rejects when the database does not answer. */
  readonly ping: () => Promise<void>
  /** True while running sessions are let end: balancers send nothing more here. */
  readonly isStopping: () => boolean
  /** True while other nodes have the database and this one does not. */
  readonly isCutOff: () => boolean
  /** Parts of this process that do not work while it serves: words for the header `X-Degraded`. */
  readonly degraded: () => Promise<readonly string[]>
}

export function instanceRoutes(deps: InstanceRouteDeps): Route[] {
  const { info, health, setup } = operations.instance
  return [
    publicRoute(info, ({ request }, { query }) => describeInstance(deps, request.host, query.agent_version)),
    publicRoute(health, async ({ reply }) => {
      if (deps.isStopping()) fail('UNAVAILABLE', { what: 'it is stopping' })
      if (deps.isCutOff()) fail('UNAVAILABLE', { what: 'the database' })
      await deps.ping().catch(() => fail('UNAVAILABLE', { what: 'the database' }))
      void reply.header('x-degraded', (await deps.degraded()).join(', ') || 'none')
    }),
    publicRoute(setup, async (context, input) => {
      await setUp(deps, input, originOf(context))
      context.log.info('instance.setup', { username: input.body.username })
    }),
  ]
}

const DOCUMENTS = {
  '/openapi.json': 'every',
  '/openapi/community.json': 'community',
  '/openapi/cloud.json': 'cloud',
} as const

/** Serves the contract as OpenAPI documents; each is built once, when it is first asked for: a start has no time for it. */
export function serveOpenApi(server: FastifyInstance): void {
  for (const [path, edition] of Object.entries(DOCUMENTS)) {
    server.get(
      path,
      constantDocument(() => JSON.stringify(openApiDocument(VERSION, edition))),
    )
  }
}
