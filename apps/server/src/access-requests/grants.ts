// Grants of approved access requests, which the firewall looks up where its rules deny.
import type { FindGrant } from '../firewall/rules.ts'
import { findActive } from './store.ts'

/** Compares times: no job has to run for access to end. */
export const findGrant: FindGrant = async (ctx, attempt) => {
  const row = await findActive(ctx.db, { ...attempt, now: new Date(ctx.clock.now()) })
  return row?.expires_at ? { id: row.id, expiresAt: row.expires_at.getTime() } : undefined
}
