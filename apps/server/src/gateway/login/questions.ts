// Prompts of keyboard-interactive (RFC 4256). The first is the gateway's own, whatever the device: no device is contacted
// before an answer, so that nobody can tell which devices exist. The answer then serves the device's own password prompt;
// all other prompts of the device are relayed to the person.
import type { AuthRound } from '@bowline/link/stream-messages'
import type { AuthAttempt } from '@bowline/ssh/api'
import { plainText } from '../record/announcement.ts'

type Attempt = Pick<Extract<AuthAttempt, { method: 'keyboard-interactive' }>, 'prompt'>

/** The person chose another method or left: there is no credential. */
export class PromptCancelled extends Error {}

/** The person who answers one attempt. */
export interface Person {
  /** Rejects with {@link PromptCancelled} when they do not answer. */
  ask(round: AuthRound): Promise<readonly string[]>
}

/** @throws {PromptCancelled} when the person does not answer the first prompt */
export async function firstQuestion(attempt: Attempt): Promise<Person> {
  const prompt: Attempt['prompt'] = (...round) =>
    attempt.prompt(...round).catch(() => {
      throw new PromptCancelled('the person did not answer')
    })
  const [first = ''] = await prompt('', '', [{ text: 'Password: ', echo: false }])
  let kept: string | undefined = first
  return {
    ask({ name, instruction, prompts }) {
      if (kept !== undefined && instruction === '' && asksForPassword(prompts)) {
        const answers = [kept]
        kept = undefined
        return Promise.resolve(answers)
      }
      const shown = prompts.map(({ text, echo }) => ({ text: plainText(text), echo }))
      return prompt(plainText(name), plainText(instruction), shown)
    },
  }
}

/** A single hidden prompt that does not ask for a new password. */
function asksForPassword(prompts: AuthRound['prompts']): boolean {
  const [only, ...more] = prompts
  if (!only || more.length > 0 || only.echo) return false
  return /password/i.test(only.text) && !/\b(?:new|retype)\b/i.test(only.text)
}
