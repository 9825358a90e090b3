// Routes of namespaces.
import { createHmac } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import type { Kysely } from 'kysely'
import type { TenantId } from '@bowline/contract/schemas/common'
import type { TenantContext, UserActor } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { type Route, memberRoute, userRoute } from '../http/route.ts'
import type { MailQueue } from '../mails/queue.ts'
import type { Ids } from '../platform/ids.ts'
import { spend } from '../budgets/service.ts'
import { closeNamespace, listDeleted, restoreNamespace } from './closing.ts'
import { type EditChecks, editNamespace } from './edit.ts'
import { createOwnNamespace, getNamespace, getRecording, listNamespaces, setRecording } from './service.ts'

/** Each stays for days. */
const DELETIONS = { name: 'namespace-deletions', limit: 100, hours: 24 }

export interface NamespaceRouteDeps extends EditChecks {
  /** System connection: lists and names cross namespaces. */
  readonly db: Kysely<Schema>
  readonly ids: Ids
  readonly edition: 'community' | 'enterprise' | 'cloud'
  /** Key of the support identifiers. */
  readonly supportSecret: string
  readonly mails: MailQueue
  /** Context of a person in a namespace that they are no member of while it is closed. */
  readonly contextOf: (tenant: TenantId, actor: UserActor, source: string) => TenantContext
}

export function namespaceRoutes({
  db,
  ids,
  edition,
  supportSecret,
  mails,
  contextOf,
  requireProof,
  requireAccessProof,
  closeWindows,
  endAccess,
}: NamespaceRouteDeps): Route[] {
  const { namespaces } = operations
  const checks = { requireProof, requireAccessProof, closeWindows, endAccess }
  return [
    userRoute(namespaces.list, ({ actor }, { query }) => listNamespaces(db, actor.id, query)),
    userRoute(namespaces.create, ({ actor }, { body }) => createOwnNamespace(db, ids, edition, actor.id, body)),
    memberRoute(namespaces.get, ({ tenant }) => getNamespace(db, tenant)),
    memberRoute(namespaces.update, (ctx, { body }) => editNamespace(db, ctx, body, checks)),
    memberRoute(namespaces.remove, async (ctx) => {
      if (ctx.actor.kind === 'user') await spend({ db, clock: ctx.clock }, DELETIONS, ctx.actor.id)
      await closeNamespace(db, ctx, mails)
    }),
    userRoute(namespaces.listDeleted, ({ actor }) => listDeleted(db, actor.id)),
    userRoute(namespaces.restore, ({ actor, source }, { params }) =>
      restoreNamespace(db, contextOf(params.tenant, actor, source), actor.id),
    ),
    memberRoute(operations.users.getSecurity, (ctx) => getRecording(ctx)),
    memberRoute(operations.users.setSecurity, (ctx, { body }) => setRecording(ctx, body.session_record)),
    memberRoute(namespaces.support, async ({ tenant }) => {
      const { billing } = await getNamespace(db, tenant)
      if (edition === 'cloud' && billing?.['active'] !== true) fail('SUBSCRIPTION_REQUIRED')
      return { identifier: createHmac('sha256', supportSecret).update(tenant).digest('hex') }
    }),
  ]
}
