// Connections of this process that wait for a decision. A decision of this process wakes them at once; those of other
// processes are read from the database, all in one query, and the database's answer is the only one that counts.
import { LIMITS } from '@bowline/contract/limits'
import type { Clock } from '@bowline/base/clock'
import type { Kysely } from 'kysely'
import type { Schema } from '../db/schema.ts'
import { createShares } from '../platform/shares.ts'
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

export interface WaitingLogin {
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  readonly source: string
  readonly namespace: string
}

export interface WaitingLogins {
  /**
   * Waits for a decision until the deadline or until `left` is aborted: then `gone`. `too-many`: the namespace, or its
   * source, has too many connections that wait.
   */
  wait(login: WaitingLogin, left: AbortSignal): Promise<Decision | 'too-many'>
  /** Reads the decision on a login now. */
  wake(ids: readonly string[]): void
}

type WaitingLimits = { readonly [Name in keyof typeof LIMITS.heldLogin.connections]: number }

/** @param most connections that wait: of a source in a namespace, of a namespace, and of all */
export function createWaitingLogins(
  { clock, db }: WaitingDeps,
  { perSource, perNamespace, perProcess }: WaitingLimits = LIMITS.heldLogin.connections,
): WaitingLogins {
  // All together are limited by making room, below.
  const shares = createShares(Number.POSITIVE_INFINITY, { source: perSource, namespace: perNamespace })
  /** Ends of the waits of each namespace, oldest first. */
  const byNamespace = new Map<string, Set<() => void>>()
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

  /** Ends the oldest wait of the namespace with the most. @returns false when none has more than the asking one */
  function makeRoom(namespace: string): boolean {
    let most = byNamespace.get(namespace)
    const own = most?.size ?? 0
    for (const waits of byNamespace.values()) if (waits.size > (most?.size ?? 0)) most = waits
    const [oldest] = most ?? []
    if (!most || most.size <= own || !oldest) return false
    oldest()
    return true
  }

  return {
    wait({ id, expiresAt, source, namespace }, left) {
      if (left.aborted) return Promise.resolve('gone')
      const share = shares.take({ source: `${namespace} ${source}`, namespace })
      if (share.refused !== undefined) return Promise.resolve('too-many')
      if (shares.count > perProcess && !makeRoom(namespace)) {
        share.release()
        return Promise.resolve('too-many')
      }
      return new Promise((resolve) => {
        const settle = (decision: Decision): void => {
          cancel()
          share.release()
          left.removeEventListener('abort', leave)
          ofNamespace.delete(leave)
          if (ofNamespace.size === 0) byNamespace.delete(namespace)
          ofLogin.delete(settle)
          if (ofLogin.size === 0) waiters.delete(id)
          if (waiters.size === 0) {
            stopPolling?.()
            stopPolling = undefined
          }
          resolve(decision)
        }
        const leave = (): void => settle('gone')
        const ofNamespace = byNamespace.get(namespace) ?? new Set()
        byNamespace.set(namespace, ofNamespace.add(leave))
        const ofLogin = waiters.get(id) ?? new Set()
        waiters.set(id, ofLogin.add(settle))
        const cancel = clock.after(Math.max(0, expiresAt - clock.now()), () => settle('expired'))
        left.addEventListener('abort', leave)
        stopPolling ??= clock.every(POLL_MS, () => lookQuietly([...waiters.keys()]))
        // It may have been decided since it was read.
        lookQuietly([id])
      })
    },
    wake: (ids) => lookQuietly(ids.filter((id) => waiters.has(id))),
  }
}
