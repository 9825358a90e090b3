// Texts for choosing and creating namespaces. Those of their settings are in features/settings.
export const namespacesMessages = {
  yours: 'Your namespaces',
  devices: (count: string, isOne: boolean) => (isOne ? '1 device or container' : `${count} devices and containers`),
  loadFailed: 'Your namespaces could not be loaded.',
  switchFailed: (name: string) => `Could not switch to ${name}`,
  switched: (name: string) => `You are in ${name} now.`,
  deleted: 'Recently deleted',
  deletedText: 'Closed since you deleted them. Until their day everything of them is kept.',
  deletedUntil: (day: string) => `Removed for good on ${day}`,
  restore: 'Restore',
  restoreOf: (name: string) => `Restore ${name}`,
  restored: (name: string) => `${name} is back.`,
  restoreFailed: (name: string) => `${name} was not restored`,
  create: 'Create a namespace',
  createTitle: 'Create a namespace',
  createText:
    'Devices, people and rules of one namespace know nothing of another. Its name is part of every SSH address in it.',
  createSubmit: 'Create',
  createFailed: 'The namespace was not created',
  labels: { name: 'Name' },
  memberFilter: { person: 'Person', anyPerson: 'Anyone', formerMember: 'former member' },
  nameHint: 'Lower-case letters, digits and inner hyphens; 3 to 30 characters.',
} as const
