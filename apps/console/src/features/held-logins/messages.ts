// Texts of SSH logins that wait for their person.
import { i18n } from '../../platform/language/i18n.ts'

export const heldLoginMessages = {
  title: i18n._('Approve an SSH login'),
  question: (who: string) => i18n._('Approve the login to {who}?', { who }),
  warning: i18n._(
    'Approve only a login that you just started yourself, and only if your terminal shows the same code. Support never asks for an approval.',
  ),
  facts: {
    code: i18n._('Code'),
    device: i18n._('Device'),
    account: i18n._('Account'),
    namespace: i18n._('Namespace'),
    key: i18n._('Key'),
    source: i18n._('From'),
    left: i18n._('Time left'),
  },
  password: i18n._('password'),
  unknownPlace: i18n._('unknown place'),
  seconds: (count: number) => i18n._('{count, plural, one {# second} other {# seconds}}', { count }),
  window: (hours: number) =>
    i18n._(
      '{hours, plural, one {For an hour, the same key from the same network needs no further approval.} other {For # hours, the same key from the same network needs no further approval.}}',
      { hours },
    ),
  approve: i18n._('Approve'),
  deny: i18n._('Deny'),
  approved: i18n._('The login is approved. You can close this page.'),
  denied: i18n._('The login was denied. The same key is refused for some minutes.'),
  gone: i18n._('No pending login matches this code. It may have been decided or expired: connect again.'),
  decideFailed: i18n._('The login is still waiting'),
  loadFailed: i18n._('The login could not be loaded'),
  waiting: (count: number) =>
    i18n._('{count, plural, one {An SSH login waits for your approval} other {# SSH logins wait for your approval}}', {
      count,
    }),
  open: (who: string, source: string, code: string) =>
    i18n._('{who} from {source}, code {code}', { who, source, code }),
}

/** Account and device as people type them. */
export function whoOf(login: {
  readonly username: string
  readonly namespace: string
  readonly device_name: string
}): string {
  return `${login.username}@${login.namespace}.${login.device_name}`
}
