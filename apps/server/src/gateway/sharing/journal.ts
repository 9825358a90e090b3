// What is written about people who join a terminal: events of its session, lines of its recording, entries of the audit
// log. Never what they type.
import type { UserId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import { type AuditAction, audit } from '../../audit/service.ts'
import type { UserActor } from '../../context.ts'
import type { SessionEventRow } from '../../sessions/service.ts'
import type { AcceptedLogin } from '../login/accepted-login.ts'

/** Somebody in a terminal. */
export interface InTerminal {
  readonly person: UserId
  readonly name: string
}

export interface Journal {
  /** Notes an event of the session, and in its recording what has happened. */
  note(type: string, data: SessionEventRow['data'], line?: string): void
  /**
   * Writes an entry of the audit log. Rejects when it cannot be written.
   * @param by who did it, from where; undefined: the server
   * @param guest who joins, or has asked to
   * @param reason why it ended
   */
  audit(
    action: AuditAction,
    by: (InTerminal & { readonly address: string }) | undefined,
    guest: InTerminal,
    reason?: string,
  ): Promise<void>
  /** Somebody types: noted when that begins, for those who have joined, and when it is another person's turn. */
  typed(by: InTerminal, isOwner: boolean): void
}

export interface JournalParts {
  readonly login: Pick<AcceptedLogin, 'ctx' | 'record' | 'user' | 'target'>
  readonly clock: Clock
  /** Writes a line into the recording, where there is one. */
  readonly mark: (text: string) => void
}

/** After this long without input, the next is noted again. */
const PAUSE_MS = 10_000
/** Notes about the input of one person are not closer together than this. */
const APART_MS = 1_000
/** The only channel of a web terminal. */
const SEAT = 0

export function createJournal({ login, clock, mark }: JournalParts): Journal {
  const { ctx, record, user, target } = login
  /** Whose input was noted last, and when they have typed. */
  let last: { readonly person: UserId; at: number } | undefined
  const notedAt = new Map<UserId, number>()

  function note(type: string, data: SessionEventRow['data'], line?: string): void {
    record.note(type, SEAT, data)
    if (line !== undefined) mark(line)
  }

  return {
    note,
    audit: (action, by, guest, reason) =>
      audit({ ...ctx, actor: by ? actorOf(by) : ctx.actor, source: by?.address ?? '' }, action, record.uid, {
        person: guest.name,
        person_id: guest.person,
        ...(reason === undefined ? {} : { reason }),
        device: target.uid,
        username: user,
      }),
    typed({ person, name }, isOwner) {
      const at = clock.monotonic()
      const isTurn = last?.person !== person
      // Of the owner alone nothing is noted.
      const isNoted = isTurn ? !isOwner || last !== undefined : !isOwner && at - (last?.at ?? at) > PAUSE_MS
      // Too early after the person's last note: the next byte tries again.
      if (isNoted && at - (notedAt.get(person) ?? -Infinity) < APART_MS) return
      last = { person, at }
      if (!isNoted) return
      notedAt.set(person, at)
      note('join-input', { by: name }, `${name} types`)
    },
  }
}

/** The log names people by their id. */
function actorOf({ person, name }: InTerminal): UserActor {
  return {
    kind: 'user',
    id: person,
    username: name,
    tenant: undefined,
    role: undefined,
    grants: [],
    family: undefined,
    login: undefined,
    expiresAt: 0,
    isInstanceAdmin: false,
    inDisabledNamespace: false,
  }
}
