// Prompt rounds of a login (RFC 4256).
import type { AuthRound } from '@bowline/link/stream-messages'

export type { AuthRound } from '@bowline/link/stream-messages'

/** The user at the other end of one attempt. */
export interface Person {
  /** Aborted when they have disconnected: the outcome no longer matters. */
  readonly disconnected: AbortSignal
  /** Their address, for the device's own rules and logs; '' when unknown. */
  readonly remote: string
}

/** A user who can be prompted. */
export interface Conversation extends Person {
  /** Sends one round. @returns one answer per prompt; rejects when the user has disconnected */
  ask(round: AuthRound): Promise<readonly string[]>
}

/** For checks without a connected user. */
export const NOBODY: Person = { disconnected: new AbortController().signal, remote: '' }

/** The default prompt, for systems without prompts of their own. */
export async function askPassword(conversation: Conversation): Promise<string> {
  const [answer = ''] = await conversation.ask({
    name: '',
    instruction: '',
    prompts: [{ text: 'Password: ', echo: false }],
  })
  return answer
}
