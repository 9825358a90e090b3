// Assembles provisioning by SCIM: its endpoints with the rate limit per token.
import type { TenantId } from '@bowline/contract/schemas/common'
import { RateLimiter } from '@bowline/base/rate-limiter'
import type { FastifyInstance } from 'fastify'
import type { AuthDeps } from '../../auth/service.ts'
import type { Actor, TenantContext } from '../../context.ts'
import type { RequestLimits } from '../../http/limits/request-limits.ts'
import type { RegistrationDeps } from '../../registration/service.ts'
import { serveScim } from '../../scim/protocol/endpoints.ts'
import type { ScimTurns } from '../../scim/turns.ts'
import type { SingleSignOnDeps } from '../../single-sign-on/deps.ts'

/** Requests of an identity provider per second and token. */
const REQUESTS = { perSecond: 50, burst: 500 }

export interface ScimParts {
  readonly auth: AuthDeps
  readonly registration: Pick<RegistrationDeps, 'mails' | 'mode'>
  readonly singleSignOn: Pick<SingleSignOnDeps, 'publicOrigin'>
  readonly requestLimits: RequestLimits
  readonly turns: ScimTurns
  readonly tenantContext: (tenant: TenantId, actor: Actor, source?: string) => TenantContext
}

export function composeScim(http: FastifyInstance, { auth, registration, singleSignOn, ...parts }: ScimParts): void {
  serveScim(http, {
    ...parts,
    system: auth.db,
    ids: auth.ids,
    log: auth.log,
    mails: registration.mails,
    invitesNewPeople: registration.mode !== 'closed',
    origin: singleSignOn.publicOrigin,
    requests: new RateLimiter(auth.clock, REQUESTS),
  })
}
