// The terminals of this node that may be joined, by session, and how often they may be asked for.
import { RateLimiter } from '@bowline/base/rate-limiter'
import { LIMITS } from '@bowline/contract/limits'
import type { JoinTarget } from '../../terminals/tickets.ts'
import { type Guest, type GuestLine, type GuestPlace, GUEST_ENDS } from './guest.ts'
import {
  type OwnTerminal,
  type SharedTerminal,
  type SharedTerminalDeps,
  createSharedTerminal,
} from './shared-terminal.ts'

export interface SharedTerminals {
  /** Lets others ask to join a terminal, until it ends. */
  share(own: OwnTerminal): SharedTerminal
  /** Asks to join the terminal of a session. The end comes on the line. @returns undefined when that is over at once */
  ask(target: Pick<JoinTarget, 'tenant' | 'session'>, guest: Guest, line: GuestLine): GuestPlace | undefined
}

export function createSharedTerminals(deps: SharedTerminalDeps): SharedTerminals {
  const terminals = new Map<string, SharedTerminal>()
  const { perPerson, perSession } = LIMITS.joining
  const ofPerson = new RateLimiter(deps.clock, { perSecond: perPerson / 60, burst: perPerson })
  const ofSession = new RateLimiter(deps.clock, { perSecond: perSession / 60, burst: perSession })
  return {
    share(own) {
      const shared = createSharedTerminal(deps, own)
      terminals.set(own.session, shared)
      return {
        ...shared,
        end() {
          terminals.delete(own.session)
          shared.end()
        },
      }
    },
    ask({ tenant, session }, guest, line) {
      const shared = terminals.get(session)
      // The ticket's namespace is that of the caller's credential.
      if (shared?.tenant !== tenant) line.end(GUEST_ENDS.notShared)
      else if (!ofPerson.take(`${session} ${guest.person}`) || !ofSession.take(session)) line.end(GUEST_ENDS.tooMany)
      else return shared.ask(guest, line)
      return undefined
    },
  }
}
