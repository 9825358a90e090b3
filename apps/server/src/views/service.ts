// Use cases of saved views and favourite devices. Views of the namespace are changed by whoever may change devices.
import { fail } from '@bowline/contract/errors'
import { LIMITS } from '@bowline/contract/limits'
import type { Input } from '@bowline/contract/operation'
import type { SavedView, views } from '@bowline/contract/operations/fleet/views'
import type { DeviceUid, UserId } from '@bowline/contract/schemas/common'
import { type TenantContext, personOf, actorMay, roleOf } from '../context.ts'
import { lockNamespace } from '../devices/acceptance.ts'
import { get as getDevice } from '../devices/service.ts'
import {
  countViews,
  deleteFavorite,
  deleteView,
  findView,
  insertFavorite,
  insertView,
  isNameTaken,
  readFavorites,
  readViews,
  updateView,
} from './store.ts'

export function list(ctx: TenantContext, of: SavedView['list']): Promise<SavedView[]> {
  return readViews(ctx.db, person(ctx), of)
}

/** @throws {BowlineError} CONFLICT; NAMESPACE_FULL; FORBIDDEN for a shared view without the right to change devices */
export async function create(
  ctx: TenantContext,
  { shared, ...view }: Input<typeof views.create>['body'],
): Promise<SavedView> {
  const user = shared ? null : person(ctx)
  if (shared) requireSharing(ctx)
  return ctx.db.transaction().execute(async (db) => {
    await lockNamespace(db)
    const limit = LIMITS.views.perOwner
    if ((await countViews(db, user)) >= limit) fail('NAMESPACE_FULL', { limit, what: 'saved views' })
    const made = await insertView(db, { tenant: ctx.tenant, user, ...view })
    return made ?? fail('CONFLICT', { field: 'name' }, ['name'])
  })
}

/** @throws {BowlineError} NOT_FOUND, also for a view of somebody else; CONFLICT; FORBIDDEN */
export async function update(
  ctx: TenantContext,
  id: string,
  { name, query }: Input<typeof views.update>['body'],
): Promise<void> {
  await ctx.db.transaction().execute(async (db) => {
    await lockNamespace(db)
    const view = await requireView({ ...ctx, db }, id)
    if (name !== undefined && (await isNameTaken(db, view, name))) fail('CONFLICT', { field: 'name' }, ['name'])
    await updateView(db, id, { name: name ?? view.name, query: query ?? view.query })
  })
}

/** @throws {BowlineError} NOT_FOUND, also for a view of somebody else; FORBIDDEN */
export async function remove(ctx: TenantContext, id: string): Promise<void> {
  await requireView(ctx, id)
  await deleteView(ctx.db, id)
}

export function favorites(ctx: TenantContext): Promise<DeviceUid[]> {
  return readFavorites(ctx.db, person(ctx))
}

/** @throws {BowlineError} NOT_FOUND; NAMESPACE_FULL */
export async function addFavorite(ctx: TenantContext, uid: DeviceUid): Promise<void> {
  const user = person(ctx)
  await getDevice(ctx, uid)
  await ctx.db.transaction().execute(async (db) => {
    await lockNamespace(db)
    const limit = LIMITS.views.favorites
    if ((await readFavorites(db, user)).length >= limit) fail('NAMESPACE_FULL', { limit, what: 'favorites' })
    await insertFavorite(db, { tenant_id: ctx.tenant, user_id: user, device_uid: uid })
  })
}

/** @throws {BowlineError} NOT_FOUND for an unknown device */
export async function removeFavorite(ctx: TenantContext, uid: DeviceUid): Promise<void> {
  await getDevice(ctx, uid)
  await deleteFavorite(ctx.db, person(ctx), uid)
}

function person(ctx: TenantContext): UserId {
  return personOf(ctx.actor) ?? fail('USER_TOKEN_REQUIRED')
}

function requireSharing(ctx: TenantContext): void {
  if (!actorMay(ctx.actor, 'deviceUpdate')) fail('FORBIDDEN', { role: roleOf(ctx.actor) ?? 'none' })
}

async function requireView(ctx: TenantContext, id: string) {
  const view = await findView(ctx.db, id)
  if (!view || (view.user_id !== null && view.user_id !== person(ctx))) fail('NOT_FOUND', { what: 'The view' })
  if (view.user_id === null) requireSharing(ctx)
  return view
}
