// Texts of the page that lets a program sign in.
import { i18n } from '../../platform/language/i18n.ts'

export const activateMessages = {
  title: i18n._('Let a program sign in'),
  intro: i18n._('A program without a browser shows a code. Type it here to let the program act as you.'),
  code: i18n._('Code'),
  codeHint: i18n._('Eight letters, such as WDJB-MJHT.'),
  continue: i18n._('Continue'),
  notFound: i18n._('is unknown or has expired; start again in the program'),
  lookUpFailed: i18n._('The code could not be looked up'),
  question: (name: string) => i18n._('Let {name} sign in as you?', { name }),
  warning: i18n._(
    'Approve only if you just started this sign-in yourself. Support never asks for a code. The program has your permissions until you sign it out in your profile.',
  ),
  from: i18n._('Requested from'),
  unknownPlace: i18n._('unknown place'),
  left: (minutes: number) =>
    i18n._(
      '{minutes, plural, one {The code works for another minute.} other {The code works for another # minutes.}}',
      { minutes },
    ),
  approve: i18n._('Approve'),
  deny: i18n._('Deny'),
  approved: (name: string) => i18n._('{name} is signed in. You can close this page.', { name }),
  denied: (name: string) => i18n._('{name} was denied.', { name }),
  decideFailed: i18n._('The program is still waiting'),
}
