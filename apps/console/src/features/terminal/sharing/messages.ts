// Texts of terminals that several people type in.
import { i18n } from '../../../platform/language/i18n.ts'

export const sharingMessages = {
  asks: (name: string) => i18n._('{name} wants to type in this session.', { name }),
  asksOn: (name: string, device: string) =>
    i18n._('{name} wants to type in your terminal on {device}.', { name, device }),
  asksHint: i18n._('They see this screen and can type until you remove them.'),
  secondsLeft: (seconds: number) => i18n._('Denied automatically in {seconds} s.', { seconds }),
  allow: i18n._('Allow'),
  deny: i18n._('Deny'),
  guests: i18n._('People in this session'),
  types: (name: string) => i18n._('{name} types', { name }),
  remove: (name: string) => i18n._('Remove {name}', { name }),
  owner: (name: string) => i18n._('Session of {name}', { name }),
  joined: (name: string) => i18n._('{name} has joined.', { name }),
  left: (name: string) => i18n._('{name} has left.', { name }),
  paused: (name: string) => i18n._('{name} is disconnected. What you type is dropped until they are back.', { name }),
  waiting: (seconds: number) =>
    i18n._('The person in the session is asked to let you in. They have {seconds} s to respond.', { seconds }),
  withdraw: i18n._('Withdraw'),
  over: i18n._('You are not in the session'),
  ends: {
    'join-denied': i18n._('The person in the session denied your request.'),
    'join-expired': i18n._('Nobody has answered in time.'),
    'join-removed': i18n._('The person in the session has removed you.'),
    'join-over': i18n._('The session has ended.'),
    'join-slow': i18n._('This browser was too slow to show what the session prints.'),
    'join-overrun': i18n._('You type faster than the device reads.'),
    'join-full': i18n._('The session has reached its maximum number of people.'),
    'join-limit': i18n._('Too many requests. Wait a minute.'),
    'join-off': i18n._('Joining terminals is switched off in this namespace.'),
    'not-joinable': i18n._('Only running terminals that were opened in the console can be joined.'),
    'signed-out': i18n._('You are signed out.'),
  },
  askAgain: i18n._('Ask again'),
  failed: i18n._('The session could not be loaded.'),
} as const
