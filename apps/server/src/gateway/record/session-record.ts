// The row of one session, written off the byte path: writes run in order, one at a time, and the close is retried until
// the database accepts it.
import type { SessionUid } from '@bowline/contract/schemas/common'
import type { TenantContext } from '../../context.ts'
import { createSessionEvents } from './session-events.ts'
import {
  type NewSession,
  type SessionCause,
  type SessionEventRow,
  type SessionIdentity,
  authenticateSession,
  endSession,
  noteSessionEvents,
  openSession,
} from '../../sessions/service.ts'

const RETRY_MS = 2_000

export interface SessionRecord {
  readonly uid: SessionUid
  /** Marks the login as accepted. Rejects when the database is down: no login without a row. */
  authenticated(identify: () => Promise<SessionIdentity>): Promise<void>
  /** Logs an event of a seat. @param data fields of the event; never typed input */
  note(type: string, seat: number, data?: SessionEventRow['data']): void
  /** Closes the row with its cause. Resolves when it is written. */
  close(cause: SessionCause): Promise<void>
}

/**
 * Opens the row.
 * @throws {Error} when the database rejects it
 */
export async function openSessionRecord(ctx: TenantContext, session: NewSession): Promise<SessionRecord> {
  await openSession(ctx, session)
  const { uid } = session
  let last: Promise<unknown> = Promise.resolve()
  /** Runs after all earlier work; only the caller sees its failure. */
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const run = last.then(work, work)
    last = run
    return run
  }
  /** Writes queued events; a failed batch goes back to the queue. */
  const writeEvents = async (): Promise<void> => {
    for (let batch = events.take(); batch; batch = events.take()) {
      try {
        await noteSessionEvents(ctx, uid, batch)
      } catch (error) {
        events.requeue(batch)
        throw error
      }
    }
  }
  let retry: (() => void) | undefined
  const events = createSessionEvents(ctx.clock, () => {
    inOrder(writeEvents).catch((error: unknown) => {
      ctx.log.error('session.error', { session: uid, err: error })
      retry?.()
      if (!closing) retry = ctx.clock.after(RETRY_MS, () => void inOrder(writeEvents).catch(() => undefined))
    })
  })
  let closing = false
  return {
    uid,
    authenticated: (identify) => inOrder(async () => authenticateSession(ctx, uid, await identify())),
    note: (type, seat, data) => events.note(type, seat, data),
    close(cause) {
      closing = true
      retry?.()
      events.stop()
      return inOrder(() =>
        untilTaken(ctx, async (isRepeated) => {
          await writeEvents()
          await endSession(ctx, uid, cause, isRepeated)
        }),
      )
    },
  }
}

/** Retries a write until the database accepts it. */
async function untilTaken(ctx: TenantContext, write: (isRepeated: boolean) => Promise<void>): Promise<void> {
  for (let isRepeated = false; ; isRepeated = true) {
    try {
      await write(isRepeated)
      return
    } catch (error) {
      ctx.log.error('session.error', { err: error })
      await new Promise<void>((resolve) => ctx.clock.after(RETRY_MS, resolve))
    }
  }
}
