// The endpoints of SCIM 2.0 (RFC 7644). They are no calls of the API: paths, media type, answers and errors are the
// protocol's.
import { BowlineError, fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { toBowlineError } from '../../http/errors.ts'
import { excessOf, repeatedName } from '../../http/input/json-shape.ts'
import type { Log } from '../../platform/log.ts'
import { UNSTORABLE, isStorable } from '../../platform/input/storable.ts'
import { changeGroup, readGroup } from '../groups/description.ts'
import * as groups from '../groups/service.ts'
import { GROUP_FILTERS } from '../groups/store.ts'
import { changePerson, readPerson } from '../people/description.ts'
import * as people from '../people/service.ts'
import { PERSON_FILTERS } from '../people/store.ts'
import { insertRequest } from '../store.ts'
import { type Admitted, type ScimAccess, admit } from './access.ts'
import { resourceTypes, schemas, serviceProviderConfig } from './documents.ts'
import { scimError, scimStatus } from './errors.ts'
import { parseFilter } from './filter.ts'
import { readSteps } from './patch.ts'
import { groupResource, listResponse, userResource } from './resources.ts'

/** A group with thousands of members fits. */
const BODY_BYTES = 524_288
const BODY_NAMES = 20_000
const MEDIA_TYPE = 'application/scim+json'
const PREFIX = '/api/scim/v2/:tenant'

export interface ScimServerDeps extends ScimAccess {
  readonly log: Log
  /** Origin of this server as providers know it. Never taken from a request. */
  readonly origin: () => string
}

/** Base address of a namespace's endpoints. */
export function scimBase(origin: string, tenant: string): string {
  return `${origin}/api/scim/v2/${tenant}`
}

interface Call extends Admitted {
  readonly base: string
  readonly id: string
  readonly query: Readonly<Record<string, unknown>>
  readonly body: unknown
}

/** Answer of a handler; without a body the status is 204. */
interface Answer {
  readonly status: number
  readonly body?: { readonly meta?: { readonly location: string } }
}

export function serveScim(server: FastifyInstance, deps: ScimServerDeps): void {
  const admitted = new WeakMap<FastifyRequest, Admitted>()
  const failures = new WeakMap<FastifyRequest, string>()
  void server.register(async (scope) => {
    readBodies(scope)
    scope.addHook('onRequest', async (request, reply) => {
      void reply.type(MEDIA_TYPE)
      admitted.set(request, await admit(deps, request, paramOf(request, 'tenant')))
    })
    scope.setErrorHandler((error, request, reply) => {
      const known = toBowlineError(error, request)
      if (known.status >= 500) deps.log.error('scim.error', { request: request.id, err: error })
      if (known.code === 'UNAUTHORIZED') void reply.header('www-authenticate', 'Bearer')
      if (known.code === 'UNAVAILABLE') void reply.header('retry-after', '5')
      if (known.code === 'TOO_MANY_REQUESTS') void reply.header('retry-after', String(known.details['seconds'] ?? 1))
      failures.set(request, known.message)
      // The serializer of the body is that of the media type.
      void reply
        .status(scimStatus(known))
        .type(MEDIA_TYPE)
        .send(JSON.stringify(scimError(known)))
    })
    scope.addHook('onResponse', async (request, reply) => {
      const from = admitted.get(request)
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      if (!from || (isRead && reply.statusCode < 400)) return
      await note(from, request, reply, failures.get(request) ?? '').catch((error: unknown) =>
        deps.log.error('scim.error', { request: request.id, err: error }),
      )
    })
    const bind = (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, work: Handler): void => {
      scope.route({
        method,
        url: `${PREFIX}${path}`,
        bodyLimit: BODY_BYTES,
        handler: async (request, reply) => {
          const from = await stillAdmitted(deps, request, admitted.get(request))
          const { status, body } = await work(deps, {
            ...from,
            base: scimBase(deps.origin(), from.ctx.tenant),
            id: paramOf(request, 'id').toLowerCase(),
            query: (request.query ?? {}) as Readonly<Record<string, unknown>>,
            body: request.body,
          })
          if (status === 201 && body?.meta) void reply.header('location', body.meta.location)
          void reply.status(status)
          return body === undefined ? reply.send() : reply.type(MEDIA_TYPE).send(JSON.stringify(body))
        },
      })
    }
    bindAll(bind)
    scope.all(`${PREFIX}/*`, async ({ method, url }) => {
      throw new BowlineError('ROUTE_NOT_FOUND', { method, path: url.split('?')[0] ?? '' })
    })
  })
}

/** Lifetime of a check of the token while the body arrives, in milliseconds. */
const FRESH_MS = 1_000

/** Repeats the check after a slow body: the token may have been revoked meanwhile. */
async function stillAdmitted(
  deps: ScimServerDeps,
  request: FastifyRequest,
  from: Admitted | undefined,
): Promise<Admitted> {
  if (from && from.ctx.clock.now() - from.at < FRESH_MS) return from
  return admit(deps, request, paramOf(request, 'tenant'))
}

type Handler = (deps: ScimServerDeps, call: Call) => Promise<Answer>

const ok = (body: Answer['body'] & object): Answer => ({ status: 200, body })
const NOTHING: Answer = { status: 204 }

function bindAll(
  bind: (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, work: Handler) => void,
): void {
  bind('GET', '/ServiceProviderConfig', async (_, { base }) => ok(serviceProviderConfig(base)))
  bind('GET', '/ResourceTypes', async (_, { base }) => ok(listOf(resourceTypes(base))))
  bind('GET', '/ResourceTypes/:id', async (_, { base, id }) => ok(oneOf(resourceTypes(base), id)))
  bind('GET', '/Schemas', async (_, { base }) => ok(listOf(schemas(base))))
  bind('GET', '/Schemas/:id', async (_, { base, id }) => ok(oneOf(schemas(base), id)))

  bind('GET', '/Users', async (_, { ctx, base, query }) => {
    const page = pageOf(query, PERSON_FILTERS)
    const { rows, total } = await people.list(ctx, page)
    return ok(
      listResponse(
        rows.map((row) => userResource(base, row)),
        total,
        page.offset + 1,
      ),
    )
  })
  bind('POST', '/Users', async (deps, { ctx, base, body }) => ({
    status: 201,
    body: userResource(base, await people.create(deps, ctx, readPerson(body))),
  }))
  bind('GET', '/Users/:id', async (_, { ctx, base, id }) => ok(userResource(base, await people.get(ctx, id))))
  bind('PUT', '/Users/:id', async (deps, { ctx, base, id, body }) => {
    const wanted = readPerson(body)
    return ok(userResource(base, await people.update(deps, ctx, id, () => wanted)))
  })
  bind('PATCH', '/Users/:id', async (deps, { ctx, base, id, body }) => {
    const steps = readSteps(body)
    return ok(userResource(base, await people.update(deps, ctx, id, (before) => changePerson(before, steps))))
  })
  bind('DELETE', '/Users/:id', async (deps, { ctx, id }) => {
    await people.remove(deps, ctx, id)
    return NOTHING
  })

  bind('GET', '/Groups', async (_, { ctx, base, query }) => {
    const page = pageOf(query, GROUP_FILTERS)
    const { groups: found, total } = await groups.list(ctx, page, wantsMembers(query))
    return ok(
      listResponse(
        found.map((group) => groupResource(base, group)),
        total,
        page.offset + 1,
      ),
    )
  })
  bind('POST', '/Groups', async (deps, { ctx, base, body }) => ({
    status: 201,
    body: groupResource(base, await groups.create(deps, ctx, readGroup(body))),
  }))
  bind('GET', '/Groups/:id', async (_, { ctx, base, id, query }) =>
    ok(groupResource(base, await groups.get(ctx, id, wantsMembers(query)))),
  )
  bind('PUT', '/Groups/:id', async (deps, { ctx, base, id, body }) => {
    const { members, ...wanted } = readGroup(body)
    await groups.update(deps, ctx, id, (_, present) => {
      present.clear()
      for (const member of members ?? []) present.add(member)
      return wanted
    })
    return ok(groupResource(base, await groups.get(ctx, id, true)))
  })
  bind('PATCH', '/Groups/:id', async (deps, { ctx, id, body }) => {
    const steps = readSteps(body)
    await groups.update(deps, ctx, id, (before, members) => changeGroup(before, members, steps))
    // A large group need not be sent back.
    return NOTHING
  })
  bind('DELETE', '/Groups/:id', async (deps, { ctx, id }) => {
    await groups.remove(deps, ctx, id)
    return NOTHING
  })
}

function listOf(resources: readonly unknown[]) {
  return listResponse(resources, resources.length, 1)
}

function oneOf<T extends { readonly id: string }>(resources: readonly T[], id: string): T {
  return resources.find((one) => one.id.toLowerCase() === id) ?? fail('NOT_FOUND', { what: 'The resource' })
}

/** @throws {BowlineError} INVALID_INPUT, INVALID_FILTER */
function pageOf(query: Call['query'], filters: readonly string[]) {
  const { filter } = query
  const conditions = typeof filter === 'string' && filter.trim() !== '' ? parseFilter(filter, filters) : []
  const start = numberOf(query, 'startIndex', 1)
  // Numbers out of range are clamped (RFC 7644 section 3.4.2.4).
  const limit = Math.min(Math.max(numberOf(query, 'count', LIMITS.scim.page), 0), LIMITS.scim.page)
  return { conditions, offset: Math.min(Math.max(start, 1), 1_000_000) - 1, limit }
}

function numberOf(query: Call['query'], name: string, otherwise: number): number {
  const value = query[name]
  if (value === undefined || value === '') return otherwise
  return typeof value === 'string' && /^[+-]?\d{1,12}$/.test(value)
    ? Number(value)
    : fail('INVALID_INPUT', { field: name, rule: 'must be a whole number' }, [name])
}

function wantsMembers({ excludedAttributes: excluded, attributes }: Call['query']): boolean {
  const names = (text: unknown): string[] =>
    String(text)
      .toLowerCase()
      .split(/[\s,]+/)
  if (typeof attributes === 'string' && attributes !== '')
    return names(attributes).some((name) => name.startsWith('members'))
  return !(typeof excluded === 'string' && names(excluded).includes('members'))
}

function paramOf({ params }: FastifyRequest, name: string): string {
  return (params as Readonly<Record<string, string | undefined>>)[name] ?? ''
}

function readBodies(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error')
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser<string>([MEDIA_TYPE, 'application/json'], { parseAs: 'string' }, (request, text, done) => {
    if (text.trim() === '') return done(null, undefined)
    const excess = excessOf(text, BODY_NAMES)
    if (excess !== undefined) return done(new BowlineError('UNREADABLE_BODY', { rule: `it ${excess}` }))
    void parse(request, text, (error, value) => {
      if (error) return done(error, value)
      const flaw = isStorable(text, value) ? repeatedName(text) : UNSTORABLE
      if (flaw === undefined) done(error, value)
      else done(new BowlineError('UNREADABLE_BODY', { rule: `it ${flaw}` }))
    })
  })
}

/** Keeps what was asked, for administrators who set provisioning up. */
async function note(
  { ctx, token }: Admitted,
  request: FastifyRequest,
  reply: FastifyReply,
  detail: string,
): Promise<void> {
  const path = (request.url.split('?')[0] ?? '').split('/').slice(5).join('/')
  await insertRequest(
    ctx.db,
    {
      tenant_id: ctx.tenant,
      at: new Date(ctx.clock.now()),
      token_name: token.name,
      method: request.method,
      path: `/${path}`.slice(0, 200),
      status: reply.statusCode,
      detail: detail.slice(0, 300),
    },
    LIMITS.scim.requests,
  )
}
