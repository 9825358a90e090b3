// Notice on the sign-in page after a single sign-on that did not work.
import { signInMessages as texts } from './messages.ts'

/**
 * @param refused word of the address that names the reason
 * @param missing attributes that the identity provider did not send, separated by commas
 */
export function noticeOf(refused: string | undefined, missing: string | undefined): string {
  if (missing) return texts.missingAttributes(missing.split(',').join(', '))
  if (refused === undefined) return ''
  return texts.refused[refused as keyof typeof texts.refused] ?? texts.refused.answer
}
