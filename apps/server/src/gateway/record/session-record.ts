// The row of one session, written beside the bytes and never in their way: writes happen in order, one at a time, and
// the close is written again and again until the database has taken it.
import type { SessionUid } from '@bowline/contract/schemas/common'
import type { TenantContext } from '../../context.ts'
import { createSessionEvents } from './session-events.ts'
import {
  type NewSession,
  type SessionCause,
  type SessionEventRow,
  authenticateSession,
  endSession,
  noteSessionEvents,
  openSession,
} from '../../sessions/service.ts'

const RETRY_MS = 2_000

export interface SessionRecord {
  readonly uid: SessionUid
  /** The credential was right. Rejects when the database is down: nobody gets in without a row. */
  authenticated(): Promise<void>
  /** Something happened on a seat. @param data facts for the list of events; what is typed is none */
  note(type: string, seat: number, data?: SessionEventRow['data']): void
  /** It is over; the row says why. Resolves when the row is closed. */
  close(cause: SessionCause): Promise<void>
}

/**
 * Opens the row.
 * @throws {Error} when the database does not take it
 */
export async function openSessionRecord(ctx: TenantContext, session: NewSession): Promise<SessionRecord> {
  await openSession(ctx, session)
  const { uid } = session
  let last: Promise<unknown> = Promise.resolve()
  /** Runs after what was asked for before; its failure is the caller's alone. */
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const run = last.then(work, work)
    last = run
    return run
  }
  /** Writes what has been collected; what the database does not take comes again. */
  const writeEvents = async (): Promise<void> => {
    for (let batch = events.take(); batch; batch = events.take()) {
      try {
        await noteSessionEvents(ctx, uid, batch)
      } catch (error) {
        events.giveBack(batch)
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
    authenticated: () => inOrder(() => authenticateSession(ctx, uid)),
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

/** Repeats a write until the database has taken it. */
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
