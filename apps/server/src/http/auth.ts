// From credential to actor: the only place that reads tokens. The tenant of a request is the tenant of its credential.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { fail } from '@bowline/contract/errors'
import type { Operation } from '@bowline/contract/operation'
import { type Permission, type Role, tagsGiving } from '@bowline/contract/roles'
import { scopeOf, scopesAllow } from '@bowline/contract/scopes'
import {
  type Actor,
  type ApiKeyActor,
  type DeviceActor,
  type DeviceOrSession,
  type Origin,
  type TenantContext,
  type UserActor,
  actorMay,
} from '../context.ts'
import { DeviceUid, SessionUid, type TenantId } from '@bowline/contract/schemas/common'
import { type RequestContext, originOf } from './route.ts'

/** Lookups that the authenticator needs from the nouns. */
export interface CredentialChecks {
  /** The user of a token; undefined when the token is invalid or expired. */
  user(token: string, origin: Origin): Promise<UserActor | undefined>
  /** The user of a one-use token, which only the call that it is for accepts; undefined for other tokens and calls. */
  exchange(operation: Operation, token: string, base: RequestContext): Promise<UserActor | undefined>
  device(token: string): Promise<DeviceActor | undefined>
  apiKey(key: string): Promise<ApiKeyActor | undefined>
  /** Whether a device of the namespace, or the one of a session, has one of the tags. */
  hasTag(of: DeviceOrSession, tags: readonly string[]): Promise<boolean>
  /** True for the platform's own callers. */
  isInternal(headers: IncomingHttpHeaders): boolean
  tenantContext(tenant: TenantId, actor: Actor, source: string): TenantContext
}

export interface Authenticator {
  /**
   * The context that the operation's access promises.
   * @throws {BowlineError} UNAUTHORIZED, USER_TOKEN_REQUIRED, INSTANCE_ADMIN_REQUIRED, NO_NAMESPACE,
   *   NAMESPACE_DISABLED, SCOPE_REQUIRED or FORBIDDEN
   */
  admit(operation: Operation, base: RequestContext): Promise<RequestContext>
}

const MAX_KEY_LENGTH = 64

/** Builds the authenticator over the nouns' checks. */
export function createAuthenticator(checks: CredentialChecks): Authenticator {
  return {
    async admit(operation, base) {
      const { access } = operation
      if (access.kind === 'public') return base
      if (access.kind === 'internal') {
        // To other callers the operation does not exist.
        const { method, url } = base.request
        return checks.isInternal(base.request.headers)
          ? base
          : fail('ROUTE_NOT_FOUND', { method, path: url.split('?')[0] ?? '' })
      }
      const key = base.request.headers['x-api-key']
      // When both are sent the key wins, as existing clients expect.
      if (typeof key === 'string' && access.kind !== 'device') return withKey(operation, base, key)
      const token = bearer(base)
      if (access.kind === 'device') {
        const device = await checks.device(token)
        return device ? { ...base, actor: device } : fail('UNAUTHORIZED')
      }
      const exchanged = await checks.exchange(operation, token, base)
      const actor = exchanged ?? (await checks.user(token, originOf(base))) ?? fail('UNAUTHORIZED')
      if (access.kind === 'user') return { ...base, actor }
      if (access.kind === 'instance-admin') {
        return actor.isInstanceAdmin ? { ...base, actor } : fail('INSTANCE_ADMIN_REQUIRED')
      }
      if (actor.tenant === undefined || actor.role === undefined) return fail('NO_NAMESPACE')
      return asMember(operation, base, { actor, tenant: actor.tenant, role: actor.role })
    },
  }

  async function withKey(operation: Operation, base: RequestContext, key: string): Promise<RequestContext> {
    const { access } = operation
    const actor = (key.length <= MAX_KEY_LENGTH ? await checks.apiKey(key) : undefined) ?? fail('UNAUTHORIZED')
    if (access.kind !== 'member' || !access.keys) return fail('USER_TOKEN_REQUIRED')
    const scope = scopeOf(operation)
    if (actor.scopes && !scopesAllow(actor.scopes, scope)) fail('SCOPE_REQUIRED', { scope: scope ?? 'of this call' })
    return asMember(operation, base, { actor, tenant: actor.tenant, role: actor.role })
  }

  /** Whether a role that is limited to tags gives a permission on what the call is about. */
  async function mayForThis(
    permission: Permission,
    is: DeviceOrSession['is'] | undefined,
    { request }: RequestContext,
    { actor, tenant }: MemberOf,
  ): Promise<boolean> {
    if (actor.kind !== 'user' || is === undefined) return false
    const tags = tagsGiving(actor.grants, permission)
    if (tags.length === 0) return false
    // The path is read later, once the caller is known.
    const { uid } = request.params as { uid?: string }
    const { data } = (is === 'device' ? DeviceUid : SessionUid).safeParse(uid)
    return data !== undefined && checks.hasTag({ tenant, is, uid: data }, tags)
  }

  async function asMember(
    { access }: Operation,
    base: RequestContext,
    { actor, tenant, role }: MemberOf,
  ): Promise<RequestContext> {
    if (actor.inDisabledNamespace && !(access.kind === 'member' && access.whileDisabled)) fail('NAMESPACE_DISABLED')
    if (access.kind === 'member' && access.permission !== undefined && !actorMay(actor, access.permission)) {
      if (!(await mayForThis(access.permission, access.per, base, { actor, tenant, role }))) fail('FORBIDDEN', { role })
    }
    return { ...checks.tenantContext(tenant, actor, base.source), ...base }
  }
}

interface MemberOf {
  readonly actor: UserActor | ApiKeyActor
  readonly tenant: TenantId
  readonly role: Role
}

function bearer(base: RequestContext): string {
  return bearerToken(base) ?? fail('UNAUTHORIZED')
}

/** The bearer token, if there is one; a bare token is accepted too, as existing clients send it. */
export function bearerToken({ request }: RequestContext): string | undefined {
  const header = request.headers.authorization ?? ''
  const token = header.replace(/^bearer +/i, '').trim()
  return token === '' || token.length > 4_096 ? undefined : token
}

/**
 * Checks for internal calls: the caller must send the node secret. Its address is no credential: proxies, forwarded
 * ports and every user of this machine reach the server over loopback.
 */
export function internalCallers(nodeSecret: string): (headers: IncomingHttpHeaders) => boolean {
  const expected = createHash('sha256').update(nodeSecret).digest()
  return (headers) => {
    const given = headers['x-node-secret']
    return typeof given === 'string' && timingSafeEqual(createHash('sha256').update(given).digest(), expected)
  }
}
