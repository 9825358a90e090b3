// Describes why a session ended.
import type { Session } from '@bowline/contract/schemas/session'
import { serverText } from '../../../platform/language/server-text.ts'
import { sessionsMessages as texts } from '../messages.ts'
import { causeText } from './cause-text.ts'

const actors: ReadonlyMap<string, string> = new Map(Object.entries(texts.endedBy))

/** The message shown to the user when there was one, else the cause: reason and actor. '' when none was stored. */
export function endedBecause(closed: Session['closed']): string {
  if (!closed) return ''
  const said = causeText(closed)
  if (said !== '') return said
  return texts.cause(endedBy(closed), serverText(closed.reason.replaceAll(/[-_]/g, ' ')))
}

/** The actor that ended it, in words. A user whose connection was lost has ended nothing. */
export function endedBy({ by, reason }: NonNullable<Session['closed']>): string {
  return actors.get(by === 'user' && reason === 'connection-lost' ? 'network' : by) ?? by
}
