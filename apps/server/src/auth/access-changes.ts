// Reports within a second or two that a person's tokens, sessions or memberships have ended, in whatever process:
// database triggers record it, and this polls while there are subscribers.
import type { TenantId, UserId } from '@bowline/contract/schemas/common'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import type { AuthDeps } from './service.ts'
import { insertAccessChangesOf, listAccessChanges } from './store.ts'

/**
 * Has every process look again at what the members of a namespace have open.
 * @param db system connection, in the transaction of what changes for them
 */
export function noteChangeOfNamespace(db: Kysely<Schema>, tenant: TenantId): Promise<void> {
  return insertAccessChangesOf(db, tenant)
}

const LOOK_INTERVAL_MS = 1_000

export interface AccessChanges {
  /** Calls `look` whenever a person's access may have changed. @returns unsubscribe */
  subscribe(user: UserId, look: () => void): () => void
}

export function createAccessChanges({ db, clock, log }: Pick<AuthDeps, 'db' | 'clock' | 'log'>): AccessChanges {
  const subscribers = new Map<UserId, Set<() => void>>()
  /** Ids of changes already reported. */
  let reported = new Set<number>()
  let stop: (() => void) | undefined
  let isLooking = false

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    try {
      const changes = await listAccessChanges(db)
      const people = new Set(changes.filter(({ id }) => !reported.has(id)).map((change) => change.user_id))
      reported = new Set(changes.map(({ id }) => id))
      for (const user of people) for (const act of subscribers.get(user) ?? []) act()
    } catch (error) {
      // Streams also poll on their own.
      log.error('jobs.error', { err: error })
    } finally {
      isLooking = false
    }
  }

  return {
    subscribe(user, act) {
      const acts = subscribers.get(user) ?? new Set()
      subscribers.set(user, acts.add(act))
      stop ??= clock.every(LOOK_INTERVAL_MS, () => void look())
      return () => {
        acts.delete(act)
        if (acts.size === 0) subscribers.delete(user)
        if (subscribers.size > 0) return
        stop?.()
        stop = undefined
      }
    },
  }
}
