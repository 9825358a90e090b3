// The row of one session, written beside the bytes and never in their way: writes happen in order, one at a time, and
// the close is written again and again until the database has taken it.
import type { SessionUid } from '@bowline/contract/schemas/common'
import type { TenantContext } from '../context.ts'
import {
  type NewSession,
  type SessionCause,
  authenticateSession,
  endSession,
  noteSessionEvents,
  openSession,
} from '../sessions/service.ts'

const RETRY_MS = 2_000

export interface SessionRecord {
  readonly uid: SessionUid
  /** The credential was right. Rejects when the database is down: nobody gets in without a row. */
  authenticated(): Promise<void>
  /** Something happened on a seat. */
  note(type: string, seat: number, term?: string): void
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
  let noted: { types: Set<string>; seats: Set<number>; term?: string } | undefined

  /** Runs after what was asked for before; its failure is the caller's alone. */
  const inOrder = <T>(work: () => Promise<T>): Promise<T> => {
    const run = last.then(work, work)
    last = run
    return run
  }
  const writeNotes = async (): Promise<void> => {
    const notes = noted
    noted = undefined
    if (!notes) return
    const { types, seats, term } = notes
    await noteSessionEvents(ctx, uid, { types: [...types], seats: [...seats], ...(term === undefined ? {} : { term }) })
  }
  return {
    uid,
    authenticated: () => inOrder(() => authenticateSession(ctx, uid)),
    note(type, seat, term) {
      // Notes that arrive while one is being written go together in the next write.
      if (noted === undefined) {
        noted = { types: new Set(), seats: new Set() }
        inOrder(writeNotes).catch((error: unknown) => ctx.log.error('session.error', { session: uid, err: error }))
      }
      noted.types.add(type)
      noted.seats.add(seat)
      if (term !== undefined) noted.term = term
    },
    close: (cause) => inOrder(() => untilTaken(ctx, () => endSession(ctx, uid, cause))),
  }
}

/** Repeats a write until the database has taken it. */
async function untilTaken(ctx: TenantContext, write: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await write()
      return
    } catch (error) {
      ctx.log.error('session.error', { err: error })
      await new Promise<void>((resolve) => ctx.clock.after(RETRY_MS, resolve))
    }
  }
}
