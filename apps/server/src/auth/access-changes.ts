// Tells within a second or two when somebody's tokens, sessions or memberships have ended, by whatever process: the
// database notes it (by triggers), and this looks while anybody wants to know.
import type { UserId } from '@bowline/contract/schemas/common'
import type { AuthDeps } from './service.ts'
import { listAccessChanges } from './store.ts'

const LOOK_INTERVAL_MS = 1_000

export interface AccessChanges {
  /** Calls `look` whenever the access of a person may have changed; the answer unsubscribes. */
  subscribe(user: UserId, look: () => void): () => void
}

export function createAccessChanges({ db, clock, log }: Pick<AuthDeps, 'db' | 'clock' | 'log'>): AccessChanges {
  const subscribers = new Map<UserId, Set<() => void>>()
  /** Changes that were told already. */
  let told = new Set<number>()
  let stop: (() => void) | undefined
  let isLooking = false

  async function look(): Promise<void> {
    if (isLooking) return
    isLooking = true
    try {
      const changes = await listAccessChanges(db)
      const people = new Set(changes.filter(({ id }) => !told.has(id)).map((change) => change.user_id))
      told = new Set(changes.map(({ id }) => id))
      for (const user of people) for (const act of subscribers.get(user) ?? []) act()
    } catch (error) {
      // Streams look for themselves now and then, too.
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
