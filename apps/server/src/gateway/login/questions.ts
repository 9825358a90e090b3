// The questions of keyboard-interactive (RFC 4256). The first is the gateway's own, whatever the device: before an answer
// was given no device is asked, so that nobody can tell which devices exist. The device's own question for the password
// is then answered with it; everything else the device asks is put to the person.
import type { AuthRound } from '@bowline/link/stream-messages'
import type { AuthAttempt } from '@bowline/ssh/api'
import { plainText } from '../record/announcement.ts'

type Attempt = Pick<Extract<AuthAttempt, { method: 'keyboard-interactive' }>, 'prompt'>

/** The person has chosen another method, or left: no credential was shown. */
export class PromptCancelled extends Error {}

/** The person who answers one attempt. */
export interface Person {
  /** Rejects with {@link PromptCancelled} when they do not answer. */
  ask(round: AuthRound): Promise<readonly string[]>
}

/** @throws {PromptCancelled} when the person does not answer the first question */
export async function firstQuestion(attempt: Attempt): Promise<Person> {
  const prompt: Attempt['prompt'] = (...round) =>
    attempt.prompt(...round).catch(() => {
      throw new PromptCancelled('the person has turned away')
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

/** One hidden answer, and no new password. */
function asksForPassword(prompts: AuthRound['prompts']): boolean {
  const [only, ...more] = prompts
  if (!only || more.length > 0 || only.echo) return false
  return /password/i.test(only.text) && !/\b(?:new|retype)\b/i.test(only.text)
}
