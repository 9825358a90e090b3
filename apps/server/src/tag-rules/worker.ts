// Tries the rules on devices that have changed, and on all of them after a change of a rule. Any node takes devices from the
// queue that no other has taken.
import { BackgroundLoop } from '@bowline/base/background-loop'
import type { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { TenantContext } from '../context.ts'
import type { Schema } from '../db/schema.ts'
import type { Log } from '../platform/log.ts'
import { settle } from './settle.ts'
import { findDue, forgetDue, lockDue } from './store.ts'

/** Devices of a transaction: the row of each is locked meanwhile. */
const BATCH = 100
/** Namespaces that are looked up at once. */
const TENANTS = 20

export interface TagRuleLoop {
  /** Tries the rules on whatever is due. */
  wake(): void
  stop(): Promise<void>
}

export interface TagRuleDeps {
  readonly system: Kysely<Schema>
  /** Of the platform itself, in a namespace. */
  readonly tenantContext: (tenant: TenantId) => TenantContext
  /** Notifies listeners of a device that has changed. */
  readonly notifyChanged: (ctx: TenantContext, uid: DeviceUid) => Promise<void>
  readonly log: Log
}

export function tagRuleLoop(deps: TagRuleDeps): TagRuleLoop {
  let isStopping = false
  const loop = new BackgroundLoop(async () => {
    try {
      for (;;) {
        const tenants = isStopping ? [] : await findDue(deps.system, TENANTS)
        let done = 0
        // A batch of each in turn: a namespace with many devices does not keep the others waiting.
        for (const tenant of tenants) done += await applyBatch(deps, deps.tenantContext(tenant))
        if (done === 0) return
      }
    } catch (error) {
      deps.log.error('tag-rules.error', { err: error })
    }
  })
  return {
    wake: () => loop.wake(),
    async stop() {
      isStopping = true
      await loop.stop()
    },
  }
}

/** @returns the number of devices that were taken from the queue */
async function applyBatch({ notifyChanged }: TagRuleDeps, ctx: TenantContext): Promise<number> {
  const { changed, taken } = await ctx.db.transaction().execute(async (db) => {
    const uids = await lockDue(db, BATCH)
    if (uids.length === 0) return { changed: [], taken: 0 }
    const tagged = await settle({ ...ctx, db }, uids)
    await forgetDue(db, uids)
    return { changed: tagged, taken: uids.length }
  })
  for (const uid of changed) await notifyChanged(ctx, uid)
  return taken
}
