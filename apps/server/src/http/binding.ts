// Binds an operation of the contract to a Fastify route: credential, input, handler, then the answer by its schema.
// Independent of any noun.
import { BowlineError } from '@bowline/contract/errors'
import { type Operation, pathParameters } from '@bowline/contract/operation'
import { allOperations } from '@bowline/contract/operations'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '@bowline/base/clock'
import { plainAddress } from '../platform/network/address.ts'
import type { Log } from '../platform/log.ts'
import type { Authenticator } from './auth.ts'
import { BODY_BYTES } from './input/bodies.ts'
import { parseInput } from '../platform/input/parse-input.ts'
import type { RequestLimits } from './limits/request-limits.ts'
import { inRequest } from './request-trace.ts'
import type { RequestContext, Route } from './route.ts'
import type { Listing } from '../db/lists/listing.ts'

export interface Binding {
  readonly clock: Clock
  readonly log: Log
  readonly authenticator: Authenticator
  readonly requestLimits?: RequestLimits
}

/**
 * Makes operations of the cloud edition answer EDITION in other editions, after the same checks.
 * @throws {Error} when an operation has no route
 */
export function completeRoutes(routes: readonly Route[], edition: 'community' | 'enterprise' | 'cloud'): Route[] {
  const built = new Set(routes.map((route) => route.operation))
  for (const { id, operation } of allOperations()) if (!built.has(operation)) throw new Error(`${id} has no route`)
  const wrongEdition = (): Promise<never> => Promise.reject(new BowlineError('EDITION', { edition: 'cloud' }))
  return routes.map((route) =>
    route.operation.cloudOnly && edition !== 'cloud' ? { ...route, handle: wrongEdition } : route,
  )
}

/** Binds a route to the path of its operation and to the aliases. */
export function bind(server: FastifyInstance, route: Route, binding: Binding): void {
  const { operation } = route
  const admitted = new WeakMap<FastifyRequest, Admitted>()
  for (const path of [operation.path, ...(operation.aliases ?? [])]) {
    server.route({
      method: operation.method,
      url: path.replaceAll(/\{([\w-]+)\}/g, (_, name: string) => `:${routerName(name)}`),
      config: { operation },
      bodyLimit: operation.bodyBytes ?? BODY_BYTES,
      // Runs before the body is read: an unauthorized caller cannot make the server hold or parse one.
      onRequest: async (request, reply) => {
        admitted.set(request, await inRequest(request, () => admit(operation, binding, request, reply)))
      },
      // A HEAD of a stream would never end.
      exposeHeadRoute: operation.method === 'GET' && !operation.stream,
      handler: (request, reply) =>
        inRequest(request, async () => {
          const found = admitted.get(request) ?? (await admit(operation, binding, request, reply))
          return answer(route, await stillAdmitted(operation, binding, found), request, reply)
        }),
    })
  }
}

interface Admitted {
  readonly base: RequestContext
  /** The context that the operation's access promises. */
  readonly context: RequestContext
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Lifetime of a credential check while the body arrives, in milliseconds. */
const FRESH_MS = 1_000

/** @throws {BowlineError} as the authenticator does; TOO_MANY_REQUESTS */
async function admit(
  operation: Operation,
  { clock, log, authenticator, requestLimits }: Binding,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Admitted> {
  const base: RequestContext = {
    source: plainAddress(request.ip),
    request,
    reply,
    clock,
    log: log.child({ request: request.id }),
    isStillAdmitted: () => isAdmitted(authenticator.admit(operation, base)),
  }
  const isPublic = operation.access.kind === 'public'
  const credential = `${String(request.headers['x-api-key'] ?? '')} ${request.headers.authorization ?? ''}`
  if (!isPublic) requestLimits?.mayGuess(base.source, credential)
  try {
    const context = await authenticator.admit(operation, base)
    if (!isPublic) requestLimits?.accepted(credential)
    requestLimits?.mayCall(operation, context)
    return { base, context, at: clock.now() }
  } catch (error) {
    if (error instanceof BowlineError && error.code === 'UNAUTHORIZED') requestLimits?.refused(base.source)
    throw error
  }
}

/** Repeats the check after a slow body: the caller may have lost access meanwhile. */
async function stillAdmitted(operation: Operation, binding: Binding, admitted: Admitted): Promise<RequestContext> {
  if (binding.clock.now() - admitted.at < FRESH_MS) return admitted.context
  return binding.authenticator.admit(operation, admitted.base)
}

async function answer(
  route: Route,
  context: RequestContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { operation } = route
  const input = {
    params: operation.params && parseInput('params', operation.params, pathValues(operation, request)),
    query: operation.query && parseInput('query', operation.query, request.query),
    body: operation.body && parseInput('body', operation.body, request.body === undefined ? {} : request.body),
  }
  requireOwnTenant(operation, context, input.params)
  const result = await route.handle(context as never, input as never)
  // A streaming handler has already answered, or nobody is left to answer.
  if (reply.sent || reply.raw.headersSent || reply.raw.destroyed) return reply
  void reply.status(operation.status ?? 200)
  if (operation.response === undefined) return reply.send()
  return reply.send(present(operation, result, reply))
}

/** Replaces hyphens: for the router they end a parameter's name. */
function routerName(parameter: string): string {
  return parameter.replaceAll('-', '_')
}

function pathValues(operation: Operation, { params }: FastifyRequest): Record<string, string | undefined> {
  const values = params as Readonly<Record<string, string>>
  return Object.fromEntries(pathParameters(operation.path).map((name) => [name, values[routerName(name)]]))
}

/** A failed check does not count as a refusal: streams outlive a restart of the database. */
function isAdmitted(admission: Promise<unknown>): Promise<boolean> {
  return admission.then(
    () => true,
    (error: unknown) => !(error instanceof BowlineError) || error.status >= 500,
  )
}

/** A call inside a namespace that names one in its path must name the credential's own. */
function requireOwnTenant(operation: Operation, context: RequestContext, params: unknown): void {
  if (operation.access.kind !== 'member' || typeof params !== 'object' || params === null) return
  const own = 'tenant' in context ? context.tenant : undefined
  if ('tenant' in params && params.tenant !== own) throw new BowlineError('NOT_FOUND', { what: 'The namespace' })
}

/** Drops fields that are not in the contract; an answer that does not match it is a defect (500). */
function present(operation: Operation, result: unknown, reply: FastifyReply): unknown {
  if (!operation.total) return operation.response?.parse(result)
  const listing = result as Listing<unknown>
  void reply.header('x-total-count', String(listing.total))
  return operation.response?.parse(listing.items)
}
