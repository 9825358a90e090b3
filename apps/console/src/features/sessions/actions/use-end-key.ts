import type { Session } from '@bowline/contract/schemas/session'
import { chosenKeys, keysOf } from '../../../core/chosen-keys.ts'
import { useMayOn } from '../../../core/context.tsx'
import { SESSION_KEYS, areSingleKeysOn } from '../../../core/shortcuts.ts'

/** @returns handles a key on a session's row: true when it asks whether to end the session */
export function useEndKey(ask: (session: Session) => void): (session: Session, key: string) => boolean {
  const mayEnd = useMayOn('sessionClose')
  return (session, key) => {
    const [wanted] = keysOf({ id: 'session.end', usual: [SESSION_KEYS.end] }, chosenKeys.get())
    if (key !== wanted || !areSingleKeysOn() || session.closed || !mayEnd(session.device ?? { tags: [] })) return false
    ask(session)
    return true
  }
}
