// Routes of namespaces.
import { createHmac } from 'node:crypto'
import { fail } from '@bowline/contract/errors'
import { operations } from '@bowline/contract/operations'
import type { Kysely } from 'kysely'
import type { RecordingRemoval } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import { type Route, memberRoute, userRoute } from '../http/route.ts'
import type { Ids } from '../platform/ids.ts'
import { type FactorChecks, editNamespace } from './edit.ts'
import {
  createOwnNamespace,
  getNamespace,
  getRecording,
  listNamespaces,
  removeNamespace,
  setRecording,
} from './service.ts'

export interface NamespaceRouteDeps extends FactorChecks {
  /** System connection: lists and names cross namespaces. */
  readonly db: Kysely<Schema>
  readonly ids: Ids
  readonly edition: 'community' | 'enterprise' | 'cloud'
  /** Key of the support identifiers. */
  readonly supportSecret: string
  /** Records removed namespaces in the ledger of recordings. */
  readonly removal: RecordingRemoval
}

export function namespaceRoutes({
  db,
  ids,
  edition,
  supportSecret,
  removal,
  requireProof,
  closeWindows,
}: NamespaceRouteDeps): Route[] {
  const { namespaces } = operations
  return [
    userRoute(namespaces.list, ({ actor }, { query }) => listNamespaces(db, actor.id, query)),
    userRoute(namespaces.create, ({ actor }, { body }) => createOwnNamespace(db, ids, edition, actor.id, body)),
    memberRoute(namespaces.get, ({ tenant }) => getNamespace(db, tenant)),
    memberRoute(namespaces.update, (ctx, { body }) => editNamespace(db, ctx, body, { requireProof, closeWindows })),
    memberRoute(namespaces.remove, async (ctx) => {
      await requireProof(ctx)
      return removeNamespace(db, ctx, removal)
    }),
    memberRoute(operations.users.getSecurity, (ctx) => getRecording(ctx)),
    memberRoute(operations.users.setSecurity, (ctx, { body }) => setRecording(ctx, body.session_record)),
    memberRoute(namespaces.support, async ({ tenant }) => {
      const { billing } = await getNamespace(db, tenant)
      if (edition === 'cloud' && billing?.['active'] !== true) fail('SUBSCRIPTION_REQUIRED')
      return { identifier: createHmac('sha256', supportSecret).update(tenant).digest('hex') }
    }),
  ]
}
