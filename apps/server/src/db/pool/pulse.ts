// Detects a database that has stopped answering. A query may be slow; but when nothing has come from PostgreSQL for a
// while and a fresh connection gets no answer either (it is stopped, or the network drops everything), waiting queries
// fail within two seconds instead of running into a timeout made for slow queries.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Silence after which a probe is sent. */
const SILENCE_MS = 800

/** Rejection of waiting queries; `code` marks it as transient. */
export class DatabaseUnresponsive extends Error {
  readonly code = 'ETIMEDOUT'
  constructor() {
    super('PostgreSQL does not answer.')
    this.name = 'DatabaseUnresponsive'
  }
}

export interface Pulse {
  /**
   * Waits for an answer of the database, as long as it answers anybody.
   * @param isGone whether the address leads to another server than the one that was asked, which can no longer answer
   * @throws {DatabaseUnresponsive} when it does not; `work` is then abandoned
   */
  readonly watch: <T>(work: Promise<T>, isGone?: () => boolean) => Promise<T>
}

/** @param probe resolves within a second to true if a fresh connection is answered */
export function createPulse(probe: () => Promise<boolean>): Pulse {
  let heardAt = performance.now()
  let silent = false
  let probing: Promise<boolean> | undefined
  const heard = (): void => {
    heardAt = performance.now()
    silent = false
  }

  /** Probes the database; concurrent callers share one probe. */
  async function isAlive(): Promise<boolean> {
    probing ??= probe().finally(() => (probing = undefined))
    if (await probing) heard()
    else silent = performance.now() - heardAt >= SILENCE_MS
    return !silent
  }

  return {
    async watch(work, isGone = () => false) {
      const { promise: given, reject: giveUp } = Promise.withResolvers<never>()
      let timer: NodeJS.Timeout | undefined
      const checkIn = (milliseconds: number): void => {
        timer = setTimeout(() => void look(), milliseconds)
      }
      const look = async (): Promise<void> => {
        timer = undefined
        // If this process itself was blocked, answers that arrived meanwhile are read first.
        await nextTurn()
        if (over) return
        // Others may be answered by the new server all the time.
        if (isGone()) return giveUp(new DatabaseUnresponsive())
        const quiet = performance.now() - heardAt
        if (quiet < SILENCE_MS) return checkIn(SILENCE_MS - quiet)
        if (!(await isAlive()) || isGone()) return giveUp(new DatabaseUnresponsive())
        if (!over) checkIn(SILENCE_MS)
      }
      let over = false
      checkIn(silent ? 0 : SILENCE_MS)
      // Also counts answers that nobody waits for any more.
      work.then(heard, () => undefined)
      try {
        return await Promise.race([work, given])
      } finally {
        over = true
        clearTimeout(timer)
      }
    },
  }
}
