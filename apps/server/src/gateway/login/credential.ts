// Credentials as a login evaluates them.
import type { AuthAttempt } from '@bowline/ssh/api'
import { type Person, firstQuestion } from './questions.ts'

/** A password for the device, answers to its prompts, or a key whose signature the transport has verified. */
export type Credential =
  | { readonly method: 'password'; readonly password: string }
  | { readonly method: 'keyboard-interactive'; readonly person: Person }
  | {
      readonly method: 'publickey'
      readonly blob: Uint8Array
      /** The key's authenticator has detected a touch and verified its user. */
      readonly userVerified: boolean
    }

/** @throws {PromptCancelled} when the person does not answer the first question */
export async function toCredential(attempt: Exclude<AuthAttempt, { method: 'none' }>): Promise<Credential> {
  switch (attempt.method) {
    case 'password':
      return { method: 'password', password: attempt.password }
    case 'publickey':
      return { method: 'publickey', blob: attempt.key.blob, userVerified: attempt.key.userVerified === true }
    case 'keyboard-interactive':
      return { method: 'keyboard-interactive', person: await firstQuestion(attempt) }
  }
}
