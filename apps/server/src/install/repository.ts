// The apt repository of the agents' packages at `/apt/`. It was made and signed with the release: the server passes its
// files on and holds no key for them.
import fastifyStatic from '@fastify/static'
import { fail } from '@bowline/contract/errors'
import type { FastifyInstance } from 'fastify'

/** Names of folders and of a file, as Debian's tools make them: none begins with a dot. */
const PATH = /^([A-Za-z0-9][A-Za-z0-9._~+-]*(\/|$))+$/

/** @param folder absolute, with `dists`, `pool` and the public keys; while it is missing, so is every file of it */
export async function serveRepository(server: FastifyInstance, folder: string): Promise<void> {
  await server.register(async (scope) => {
    // Without a root here: that would have to exist when the server starts.
    await scope.register(fastifyStatic, {
      serve: false,
      index: false,
      // A release replaces files under the same names; apt asks whether its own copies are current.
      setHeaders: (reply) => void reply.header('cache-control', 'no-cache'),
    })
    scope.get('/apt/*', (request, reply) => {
      const path = (request.params as { '*': string })['*']
      if (!PATH.test(path)) fail('ROUTE_NOT_FOUND', { method: request.method, path: `/apt/${path}` })
      return reply.sendFile(path, folder)
    })
  })
}
