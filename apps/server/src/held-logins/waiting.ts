// Connections of this process that wait for a decision. A decision of this process wakes them at once; those of other
// processes are read from the database, all in one query, and the database's answer is the only one that counts.
import { LIMITS } from '@bowline/contract/limits'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { type Share, createShares } from '../platform/shares.ts'
import { readDecisions } from './store.ts'

/** End of a wait; `gone`: the login has been withdrawn. */
export type Decision = 'approved' | 'denied' | 'expired' | 'gone'

/** Interval at which decisions of other processes are noticed. */
const POLL_MS = 1_000

export interface WaitingDeps {
  readonly clock: Clock
  /** System connection: logins of all namespaces are read in one query. */
  readonly db: Kysely<Schema>
}

export interface WaitingLogins {
  /** Takes the right to wait. @param holders source and namespace */
  enter(holders: Readonly<Record<'source' | 'namespace', string>>): Share
  /** Waits for a decision until `expiresAt` (milliseconds since the epoch) or until `left` is aborted: then `gone`. */
  wait(id: string, expiresAt: number, left: AbortSignal): Promise<Decision>
  /** Number of connections that wait for a login. */
  count(id: string): number
  /** Reads the decision on a login now. */
  wake(ids: readonly string[]): void
}

export function createWaitingLogins({ clock, db }: WaitingDeps): WaitingLogins {
  const { perSource, perNamespace, perProcess } = LIMITS.heldLogin.connections
  const shares = createShares(perProcess, { source: perSource, namespace: perNamespace })
  const waiters = new Map<string, Set<(decision: Decision) => void>>()
  let stopPolling: (() => void) | undefined

  async function look(ids: readonly string[]): Promise<void> {
    const rows = new Map((await readDecisions(db, ids)).map(({ id, approved }) => [id, approved]))
    for (const id of ids) {
      const approved = rows.get(id)
      if (approved === null) continue
      const decision = approved === undefined ? 'gone' : approved ? 'approved' : 'denied'
      for (const decided of waiters.get(id) ?? []) decided(decision)
    }
  }
  // A failure is repaired by the next turn; until the deadline nobody passes.
  const lookQuietly = (ids: readonly string[]): void => {
    if (ids.length > 0) look(ids).catch(() => undefined)
  }

  return {
    enter: (holders) => shares.take(holders),
    wait(id, expiresAt, left) {
      if (left.aborted) return Promise.resolve('gone')
      return new Promise((resolve) => {
        const settle = (decision: Decision): void => {
          cancel()
          left.removeEventListener('abort', leave)
          ofLogin.delete(settle)
          if (ofLogin.size === 0) waiters.delete(id)
          if (waiters.size === 0) {
            stopPolling?.()
            stopPolling = undefined
          }
          resolve(decision)
        }
        const leave = (): void => settle('gone')
        const ofLogin = waiters.get(id) ?? new Set()
        waiters.set(id, ofLogin.add(settle))
        const cancel = clock.after(Math.max(0, expiresAt - clock.now()), () => settle('expired'))
        left.addEventListener('abort', leave)
        stopPolling ??= clock.every(POLL_MS, () => lookQuietly([...waiters.keys()]))
        // It may have been decided since it was read.
        lookQuietly([id])
      })
    },
    count: (id) => waiters.get(id)?.size ?? 0,
    wake: (ids) => lookQuietly(ids.filter((id) => waiters.has(id))),
  }
}
