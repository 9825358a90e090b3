// A route is an operation of the contract with its handler. The wrappers below give the handler exactly the context
// that the operation's access promises; a mismatch between the two stops the server at start.
import type { Input, Operation, Output } from '@bowline/contract/operation'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '@bowline/base/clock'
import type { DeviceActor, Origin, TenantContext, UserActor } from '../context.ts'
import type { Listing } from '../db/lists/listing.ts'
import type { Log } from '../platform/log.ts'

/** Context of every handler: the caller's address, and the raw request and reply for headers and cookies. */
export interface RequestContext {
  /** The client's address, after trusted proxies. */
  readonly source: string
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly clock: Clock
  readonly log: Log
  /** Checks again that the credential admits the call, for long answers. Never rejects. */
  isStillAdmitted(): Promise<boolean>
}

/** Origin of a call, for account events. */
export function originOf({ source, request }: RequestContext): Origin {
  return { source, userAgent: request.headers['user-agent'] ?? '' }
}

export interface UserContext extends RequestContext {
  readonly actor: UserActor
}

export type MemberContext = RequestContext & TenantContext

export interface Route {
  readonly operation: Operation
  readonly access: Operation['access']['kind']
  /** Erased types: the wrappers below are the only makers. */
  readonly handle: (context: never, input: never) => Promise<unknown>
}

type Answer<O> = O extends { total: true } ? Listing<Output<O> extends readonly (infer T)[] ? T : never> : Output<O>
type Handler<O, C> = (context: C, input: Input<O>) => Promise<Answer<O> | Output<O> | ListingOf<O> | void>
type ListingOf<O> = Output<O> extends readonly (infer T)[] ? Listing<T> : never

/** A route without a credential. */
export function publicRoute<O extends Operation>(operation: O, handle: Handler<O, RequestContext>): Route {
  return make(operation, 'public', handle)
}

/** A route for signed-in users, with or without a namespace. */
export function userRoute<O extends Operation>(operation: O, handle: Handler<O, UserContext>): Route {
  return make(operation, 'user', handle)
}

/** A route for administrators of this server. */
export function instanceAdminRoute<O extends Operation>(operation: O, handle: Handler<O, UserContext>): Route {
  return make(operation, 'instance-admin', handle)
}

/** A route inside the credential's namespace; the permission has been checked. */
export function memberRoute<O extends Operation>(operation: O, handle: Handler<O, MemberContext>): Route {
  return make(operation, 'member', handle)
}

/** A route for device tokens. */
export function deviceRoute<O extends Operation>(
  operation: O,
  handle: Handler<O, RequestContext & { actor: DeviceActor }>,
): Route {
  return make(operation, 'device', handle)
}

/** A route for internal callers, who send the node secret. */
export function internalRoute<O extends Operation>(operation: O, handle: Handler<O, RequestContext>): Route {
  return make(operation, 'internal', handle)
}

function make(operation: Operation, access: Route['access'], handle: Route['handle']): Route {
  if (operation.access.kind !== access) {
    throw new Error(`${operation.method} ${operation.path} is declared '${operation.access.kind}', not '${access}'.`)
  }
  return { operation, access, handle }
}
