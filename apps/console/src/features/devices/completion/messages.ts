// Texts of the completion of the search for devices.
import { i18n } from '../../../platform/language/i18n.ts'

const keywords: Readonly<Record<string, string>> = {
  tag: i18n._('has the tag'),
  name: i18n._('part of the name'),
  os: i18n._('part of the operating system'),
  arch: i18n._('architecture'),
  agent: i18n._('version of the agent'),
  ip: i18n._('part of the address'),
  mac: i18n._('part of the MAC address'),
  note: i18n._('part of the note'),
  is: i18n._('online or offline'),
}

/** After a minus; the other keywords name what is looked at either way. */
const excluding: Readonly<Record<string, string>> = {
  tag: i18n._('does not have the tag'),
}

const presences: Readonly<Record<string, string>> = {
  online: i18n._('connected'),
  offline: i18n._('not connected'),
}

/** What `-is:` finds. */
const absences: Readonly<Record<string, string>> = {
  online: presences['offline'] ?? '',
  offline: presences['online'] ?? '',
}

export const completionMessages = {
  label: i18n._('Completions'),
  keywords,
  excluding,
  presences,
  absences,
  devices: (count: number) => i18n._('{count, plural, one {# device} other {# devices}}', { count }),
} as const
