// Routes of the administration of the instance. Whatever takes rights away, gives them or shows everything asks for a
// fresh proof first.
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import type { RateLimiter } from '@bowline/base/rate-limiter'
import { auditInstance } from '../audit/service.ts'
import { listSignInsOfPerson } from '../auth/sign-ins/service.ts'
import { sendLines } from '../http/attachment.ts'
import { type Route, type UserContext, instanceAdminRoute, originOf } from '../http/route.ts'
import { defaultLimits } from '../namespaces/administration.ts'
import { personNamed } from '../single-sign-on/identities/service.ts'
import { listActivity } from '../users/activity.ts'
import { exportedEntries, listEntries } from './audit.ts'
import { type By, auditOrigin } from './deps.ts'
import { type NewPersonDeps, createPerson } from './new-person.ts'
import {
  describeNamespace,
  handOverNamespace,
  limitEveryNamespace,
  limitNamespace,
  listDeletedNamespaces,
  listNamespaces,
  restoreDeleted,
  switchNamespace,
} from './namespaces.ts'
import {
  describePerson,
  disablePerson,
  enablePerson,
  endSignIns,
  limitNamespaces,
  listPeople,
  setAdministrator,
} from './people.ts'

export interface AdministrationRouteDeps extends NewPersonDeps {
  /** Budget of exports per person. */
  readonly exports: RateLimiter
  /** Names the place of an address, '' when unknown. */
  readonly place: (address: string) => string
}

export function administrationRoutes(deps: AdministrationRouteDeps): Route[] {
  const { administration } = operations
  const { system } = deps
  const byOf = (context: UserContext): By => ({ actor: context.actor, origin: originOf(context) })
  const named = (user: string) => personNamed(system, user)
  return [
    instanceAdminRoute(administration.listPeople, (_, { query }) => listPeople(deps, query)),
    instanceAdminRoute(administration.createPerson, (context, { body }) => createPerson(deps, byOf(context), body)),
    instanceAdminRoute(administration.getPerson, async (_, { params }) =>
      describePerson(deps, (await named(params.user)).id),
    ),
    instanceAdminRoute(administration.listActivity, async (_, { params, query }) => {
      const { page, per_page: limit } = query
      return listActivity(system, (await named(params.user)).id, { limit, offset: (page - 1) * limit })
    }),
    instanceAdminRoute(administration.listSignIns, async (_, { params, query }) => {
      const { page, per_page: limit } = query
      const { id } = await named(params.user)
      return listSignInsOfPerson(
        { db: system, clock: deps.clock },
        id,
        { limit, offset: (page - 1) * limit },
        deps.place,
      )
    }),
    instanceAdminRoute(administration.endSignIns, async (context, { params }) =>
      endSignIns(deps, byOf(context), await named(params.user)),
    ),
    instanceAdminRoute(administration.disablePerson, async (context, { params }) =>
      disablePerson(deps, byOf(context), await named(params.user)),
    ),
    instanceAdminRoute(administration.enablePerson, async (context, { params }) =>
      enablePerson(deps, byOf(context), await named(params.user)),
    ),
    instanceAdminRoute(administration.setAdministrator, async (context, { params, body }) =>
      setAdministrator(deps, byOf(context), await named(params.user), body.administrator),
    ),
    instanceAdminRoute(administration.setMaxNamespaces, async (context, { params, body }) =>
      limitNamespaces(deps, byOf(context), await named(params.user), body.max_namespaces),
    ),
    instanceAdminRoute(administration.listNamespaces, (_, { query }) => listNamespaces(deps, query)),
    instanceAdminRoute(administration.getNamespace, (_, { params }) => describeNamespace(deps, params.namespace)),
    instanceAdminRoute(administration.disableNamespace, (context, { params }) =>
      switchNamespace(deps, byOf(context), params.namespace, true),
    ),
    instanceAdminRoute(administration.enableNamespace, (context, { params }) =>
      switchNamespace(deps, byOf(context), params.namespace, false),
    ),
    instanceAdminRoute(administration.setLimits, (context, { params, body }) =>
      limitNamespace(deps, byOf(context), params.namespace, body),
    ),
    instanceAdminRoute(administration.handOver, (context, { params, body }) =>
      handOverNamespace(deps, byOf(context), params.namespace, body.user),
    ),
    instanceAdminRoute(administration.listDeletedNamespaces, (_, { query }) => listDeletedNamespaces(deps, query)),
    instanceAdminRoute(administration.restoreNamespace, (context, { params }) =>
      restoreDeleted(deps, byOf(context), params.namespace),
    ),
    instanceAdminRoute(administration.getDefaults, () => defaultLimits(system)),
    instanceAdminRoute(administration.setDefaults, (context, { body }) =>
      limitEveryNamespace(deps, byOf(context), body),
    ),
    instanceAdminRoute(administration.listAudit, (_, { query }) => listEntries(system, query)),
    instanceAdminRoute(administration.exportAudit, async (context, { query }) => {
      const by = byOf(context)
      if (!deps.exports.take(context.actor.id)) fail('TOO_MANY_REQUESTS', { seconds: 10 })
      const { format, ...filter } = query
      await auditInstance(system, auditOrigin(by), 'audit.export', '', query)
      const lines = exportedEntries(system, filter, format, () => context.isStillAdmitted())
      return sendLines(context, 'audit', format, lines)
    }),
  ]
}
