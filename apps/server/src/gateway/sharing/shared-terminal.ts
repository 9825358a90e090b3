// A web terminal that others may join while its person consents: who asks, who is in it, output to all of them, and input
// of each in the order it arrives. The owner never waits for a guest.
import { randomUUID } from 'node:crypto'
import { LIMITS } from '@bowline/contract/limits'
import type { ClientMessage, ServerMessage } from '@bowline/contract/terminal/messages'
import type { UserId } from '@bowline/contract/schemas/common'
import type { Clock } from '@bowline/base/clock'
import type { Log } from '../../platform/log.ts'
import type { SessionCause } from '../../sessions/service.ts'
import type { AcceptedLogin } from '../login/accepted-login.ts'
import type { LiveLogins } from '../login/live-logins.ts'
import { type Guest, type GuestLine, type GuestPlace, GUEST_ENDS } from './guest.ts'
import { type GuestChecksDeps, isSignedIn, refusalOf } from './guest-checks.ts'
import { type InTerminal, createJournal } from './journal.ts'
import { Seat } from './seat.ts'
import { TypedInput } from './typed-input.ts'

export interface SharedTerminalDeps extends GuestChecksDeps {
  readonly live: Pick<LiveLogins, 'changes' | 'add'>
  readonly clock: Clock
  readonly log: Log
}

/** The owner's terminal. */
export interface OwnTerminal {
  readonly session: string
  readonly login: AcceptedLogin
  readonly owner: InTerminal
  readonly size: { readonly columns: number; readonly rows: number }
  /** Current address of the owner's browser. */
  readonly address: () => string
  /** Whether the owner's browser is connected. */
  readonly isHere: () => boolean
  tell(message: ServerMessage): void
  /** Passes bytes to the device. */
  input(bytes: Uint8Array): void
  /** Returns credit for the owner's own input. */
  consumed(count: number): void
  /** Output from an offset on, as far as it is kept; the memory is valid until the next output. */
  since(offset: number): Iterable<Uint8Array>
  /** Writes a line into the recording, where there is one. */
  mark(text: string): void
}

/** What the owner answers. */
export type OwnerAnswer = Extract<ClientMessage, { type: 'admit' | 'refuse' | 'remove' }>

export interface SharedTerminal {
  readonly tenant: string
  /** Somebody asks to be let in. The end of the request, or of what follows, comes on the line. */
  ask(guest: Guest, line: GuestLine): GuestPlace
  answer(answer: OwnerAnswer): void
  /** Input of the owner. */
  typed(bytes: Uint8Array): void
  /** The device has taken so many bytes of input. */
  consumed(count: number): void
  /** Output for everybody but the owner. */
  output(bytes: Uint8Array): void
  resize(size: OwnTerminal['size']): void
  /** Tells everybody who is there: the owner's browser has come back or gone away. */
  refresh(): void
  end(): void
}

/** How often it is looked whether guests are still signed in. */
const SIGNED_IN_MS = 5_000
/** Badges of who types need not be more exact. */
const TYPED_MS = 1_000

export function createSharedTerminal(deps: SharedTerminalDeps, own: OwnTerminal): SharedTerminal {
  const { clock, log, live } = deps
  const { session, login, owner } = own
  const journal = createJournal({ login, clock, mark: (text) => own.mark(text) })
  const seats = new Map<string, Seat>()
  const typed = new TypedInput()
  const ownConsumed = (count: number): void => own.consumed(count)
  /** People whom the owner has denied, and until when they need not ask again; monotonic clock. */
  const refusedUntil = new Map<UserId, number>()
  let { size } = own
  let stopLooking: (() => void) | undefined
  const inState = (state: Seat['state']): Seat[] => [...seats.values()].filter((seat) => seat.state === state)

  function refresh(): void {
    const now = clock.monotonic()
    const asking = inState('asking').map(({ id, guest, until }) => ({
      guest: id,
      name: guest.name,
      seconds: Math.max(0, Math.ceil((until - now) / 1_000)),
    }))
    const joined = inState('joined').map(({ id, guest }) => ({ guest: id, name: guest.name }))
    const message = { type: 'sharing', owner: owner.name, joined, paused: !own.isHere() } as const
    own.tell({ ...message, asking })
    for (const seat of inState('joined')) seat.line.say({ ...message, asking: [] })
  }

  /** Ends a request or a joining. @param by who has ended it; default: the server */
  function end(seat: Seat, cause: SessionCause, by?: InTerminal & { readonly address: string }): void {
    if (!seats.delete(seat.id)) return
    const { guest } = seat
    const wasIn = seat.state === 'joined'
    seat.close(cause)
    if (seats.size === 0) {
      stopLooking?.()
      stopLooking = undefined
    }
    const { reason } = cause
    if (wasIn) {
      journal.note('join-end', { by: guest.name, reason, typed: seat.typedBytes }, `${guest.name} has left (${reason})`)
    } else journal.note('join-denied', { by: guest.name, reason })
    const ended = cause === GUEST_ENDS.removed ? 'session.join-remove' : 'session.join-end'
    journal.audit(wasIn ? ended : 'session.join-deny', by, guest, reason).catch(failed)
    refresh()
  }

  const failed = (error: unknown): void => log.error('session.error', { session, err: error })

  function lookAtSignIns(): void {
    for (const seat of seats.values()) {
      isSignedIn(deps, seat.guest).then((isAlive) => {
        if (!isAlive) end(seat, GUEST_ENDS.signedOut)
        // The database does not answer: like a session, joining goes on.
      }, failed)
    }
  }

  /** Judges a guest; ends the place of one who may not be in it. @returns whether the guest may stay */
  async function judge(seat: Seat): Promise<boolean> {
    try {
      const refusal = await refusalOf(deps, login, seat.guest)
      if (refusal) end(seat, refusal)
    } catch (error) {
      failed(error)
      end(seat, GUEST_ENDS.unavailable)
    }
    return seats.has(seat.id)
  }

  async function begin(seat: Seat, since: number): Promise<void> {
    if (!(await judge(seat))) return
    seat.forget = live.add(
      {
        tenant: login.target.tenant,
        device: login.target.uid,
        user: login.user,
        get address() {
          return seat.guest.address
        },
        key: undefined,
        person: seat.guest.person,
        subject: seat.guest.person,
        // What was approved is a session of their own.
        takesGrants: false,
        forwarding: { policy: login.target.forwarding, used: false },
        joins: true,
        end: (cause) => end(seat, cause),
      },
      since,
    )
    seat.state = 'asking'
    seat.until = clock.monotonic() + LIMITS.joining.seconds * 1_000
    seat.expire = clock.after(LIMITS.joining.seconds * 1_000, () => end(seat, GUEST_ENDS.expired))
    journal.note('join-request', { by: seat.guest.name })
    seat.line.say({ type: 'asking', seconds: LIMITS.joining.seconds })
    refresh()
  }

  async function admit(seat: Seat, { screen, shown }: Extract<OwnerAnswer, { type: 'admit' }>): Promise<void> {
    seat.expire()
    seat.state = 'admitted'
    // The output that follows the owner's screen is kept meanwhile.
    if (screen !== '') {
      seat.output(Buffer.from(screen))
      for (const piece of own.since(shown)) seat.output(piece)
    }
    refresh()
    if (!(await judge(seat))) return
    if (inState('joined').length >= LIMITS.joining.guests) return end(seat, GUEST_ENDS.full)
    const { name } = seat.guest
    try {
      await journal.audit('session.join', { ...owner, address: own.address() }, seat.guest)
    } catch (error) {
      failed(error)
      return end(seat, GUEST_ENDS.unavailable)
    }
    if (!seats.has(seat.id)) return
    // Others may have been let in meanwhile.
    if (inState('joined').length >= LIMITS.joining.guests) return end(seat, GUEST_ENDS.full)
    journal.note('join', { by: name }, `${name} has joined`)
    seat.state = 'joined'
    seat.line.admitted({ type: 'joined', session, ...size })
    if (!seat.flush()) return end(seat, GUEST_ENDS.slow)
    refresh()
  }

  function passOn(seat: Seat): void {
    for (let bytes = seat.nextInput(); bytes; bytes = seat.nextInput()) {
      typed.push(bytes.length, seat.consumed)
      own.input(bytes)
    }
  }

  function typedBy(seat: Seat, bytes: Uint8Array): void {
    if (seat.state !== 'joined' || !own.isHere()) return seat.line.consumed(bytes.length)
    if (!seat.type(bytes)) return end(seat, GUEST_ENDS.overrun)
    journal.typed(seat.guest, false)
    passOn(seat)
    const now = clock.monotonic()
    if (now - seat.toldAt < TYPED_MS) return
    seat.toldAt = now
    own.tell({ type: 'typed', guest: seat.id })
    for (const other of inState('joined')) if (other !== seat) other.line.say({ type: 'typed', guest: seat.id })
  }

  return {
    tenant: login.target.tenant,
    ask(guest, line) {
      const seat = new Seat(randomUUID(), guest, line)
      const { asking } = LIMITS.joining
      const waiting = [...seats.values()].filter(({ state }) => state !== 'joined')
      const isAsking = waiting.some((other) => other.guest.person === guest.person)
      seats.set(seat.id, seat)
      stopLooking ??= clock.every(SIGNED_IN_MS, lookAtSignIns)
      const wasRefused = (refusedUntil.get(guest.person) ?? -Infinity) > clock.monotonic()
      if (wasRefused) end(seat, GUEST_ENDS.denied)
      else if (isAsking || waiting.length >= asking) end(seat, GUEST_ENDS.tooMany)
      else begin(seat, live.changes).catch(failed)
      return {
        input: (bytes) => typedBy(seat, bytes),
        moved: () => judge(seat).then(() => undefined),
        resumed() {
          line.say({ type: 'size', ...size })
          refresh()
        },
        leave: () => end(seat, GUEST_ENDS.left, guest),
      }
    },
    answer(answer) {
      const seat = seats.get(answer.guest)
      // It may be over already.
      if (!seat) return
      const by = { ...owner, address: own.address() }
      if (answer.type === 'admit') {
        if (seat.state === 'asking') admit(seat, answer).catch(failed)
      } else if (answer.type === 'refuse') {
        if (seat.state === 'joined') return
        refusedUntil.set(seat.guest.person, clock.monotonic() + LIMITS.joining.deniedMinutes * 60_000)
        end(seat, GUEST_ENDS.denied, by)
      } else end(seat, GUEST_ENDS.removed, by)
    },
    typed(bytes) {
      if (seats.size > 0) journal.typed(owner, true)
      typed.push(bytes.length, ownConsumed)
      own.input(bytes)
    },
    consumed(count) {
      typed.take(count)
      for (const seat of inState('joined')) passOn(seat)
    },
    output(bytes) {
      for (const seat of seats.values()) if (!seat.output(bytes)) end(seat, GUEST_ENDS.slow)
    },
    resize(next) {
      size = next
      for (const seat of inState('joined')) seat.line.say({ type: 'size', ...next })
    },
    refresh,
    end() {
      for (const seat of seats.values()) end(seat, GUEST_ENDS.over)
    },
  }
}
