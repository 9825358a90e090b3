// Texts for choosing and creating namespaces. Those of their settings are in features/settings.
import { i18n } from '../../platform/language/i18n.ts'

export const namespacesMessages = {
  yours: i18n._('Your namespaces'),
  devices: (count: number) =>
    i18n._('{count, plural, one {# device or container} other {# devices and containers}}', { count }),
  loadFailed: i18n._('Your namespaces could not be loaded.'),
  switchFailed: (name: string) => i18n._('Could not switch to {name}', { name }),
  switched: (name: string) => i18n._('You are in {name} now.', { name }),
  deleted: i18n._('Recently deleted'),
  deletedText: i18n._('Closed when you deleted them. Nothing in them is lost until they are removed for good.'),
  deletedUntil: (day: string) => i18n._('Removed for good on {day}', { day }),
  restore: i18n._('Restore'),
  restoreOf: (name: string) => i18n._('Restore {name}', { name }),
  restored: (name: string) => i18n._('{name} is back.', { name }),
  restoreFailed: (name: string) => i18n._('{name} was not restored', { name }),
  create: i18n._('Create a namespace'),
  createTitle: i18n._('Create a namespace'),
  createText: i18n._(
    'Namespaces share no devices, people or rules. The name is part of every SSH address in the namespace.',
  ),
  createSubmit: i18n._('Create'),
  createFailed: i18n._('The namespace was not created'),
  taken: { name: i18n._('A namespace with this name already exists. Choose another one.') },
  labels: { name: i18n._('Name') },
  memberFilter: { person: i18n._('Person'), anyPerson: i18n._('Anyone'), formerMember: i18n._('former member') },
  nameHint: i18n._('Lower-case letters, digits and inner hyphens; 3 to 30 characters.'),
} as const
