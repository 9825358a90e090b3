// Roles of members as their groups give them: the highest one wins, and people in no group of the table have the
// default. Owners keep theirs.
import type { UserId } from '@bowline/contract/schemas/common'
import type { TenantContext } from '../../context.ts'
import { setProvisionedRoles } from '../../members/provisioned.ts'
import { listWantedRoles } from './store.ts'

/**
 * @param ctx context with the system connection, in a transaction that has locked the namespace
 * @param people ids of those whose groups have changed; undefined: everybody
 * @returns members whose role is another now
 */
export async function applyRoles(ctx: TenantContext, people?: readonly string[]): Promise<UserId[]> {
  const wanted = await listWantedRoles(ctx.db, ctx.tenant, people)
  return setProvisionedRoles(ctx, wanted)
}
