// Questions that a login asks a person, round by round (RFC 4256).
import type { AuthRound } from '@bowline/link/stream-messages'

export type { AuthRound } from '@bowline/link/stream-messages'

/** The person at the other end of one attempt. */
export interface Person {
  /** Aborted when they have gone: nobody waits for the outcome any more. */
  readonly gone: AbortSignal
  /** Their address, for the device's own rules and logs; '' when unknown. */
  readonly remote: string
}

/** One who can be asked. */
export interface Conversation extends Person {
  /** Asks one round. @returns one answer for each prompt; rejects when the person has gone */
  ask(round: AuthRound): Promise<readonly string[]>
}

/** For checks that nobody in particular waits for. */
export const NOBODY: Person = { gone: new AbortController().signal, remote: '' }

/** What is asked where the system has no questions of its own. */
export async function askPassword(conversation: Conversation): Promise<string> {
  const [answer = ''] = await conversation.ask({
    name: '',
    instruction: '',
    prompts: [{ text: 'Password: ', echo: false }],
  })
  return answer
}
