// Detects a database that has stopped answering. A query may take its time; but when nothing has come from PostgreSQL
// for a while and a fresh connection gets no answer either – it is stopped, or the network swallows everything – then
// whoever waits is told so within two seconds instead of waiting for a time-out that is made for slow queries.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Nothing was heard for this long: somebody has to look. */
const SILENCE_MS = 800

/** What those who wait get; `code` says that trying again later may help. */
export class DatabaseSilent extends Error {
  readonly code = 'ETIMEDOUT'
  constructor() {
    super('PostgreSQL does not answer.')
    this.name = 'DatabaseSilent'
  }
}

export interface Pulse {
  /**
   * Waits for an answer of the database, as long as it answers anybody.
   * @throws {DatabaseSilent} when it does not; `work` is then left to itself
   */
  readonly watch: <T>(work: Promise<T>) => Promise<T>
}

/** @param probe resolves with whether a fresh connection is answered, within a second */
export function createPulse(probe: () => Promise<boolean>): Pulse {
  let heardAt = performance.now()
  let silent = false
  let probing: Promise<boolean> | undefined
  const heard = (): void => {
    heardAt = performance.now()
    silent = false
  }

  /** All who wait share one look. */
  async function isAlive(): Promise<boolean> {
    probing ??= probe().finally(() => (probing = undefined))
    if (await probing) heard()
    else silent = performance.now() - heardAt >= SILENCE_MS
    return !silent
  }

  return {
    async watch(work) {
      const { promise: given, reject: giveUp } = Promise.withResolvers<never>()
      let timer: NodeJS.Timeout | undefined
      const lookAfter = (milliseconds: number): void => {
        timer = setTimeout(() => void look(), milliseconds)
      }
      const look = async (): Promise<void> => {
        timer = undefined
        // If it was this process that stood still, what has come meanwhile is read first.
        await nextTurn()
        const quiet = performance.now() - heardAt
        if (quiet < SILENCE_MS) return lookAfter(SILENCE_MS - quiet)
        if (!(await isAlive())) return giveUp(new DatabaseSilent())
        if (!over) lookAfter(SILENCE_MS)
      }
      let over = false
      lookAfter(silent ? 0 : SILENCE_MS)
      // Also when nobody waits for it any more.
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
