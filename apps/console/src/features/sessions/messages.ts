// Texts of the sessions.
export const sessionsMessages = {
  title: 'Sessions',
  tableLabel: 'SSH sessions',
  columns: {
    target: 'User and device',
    from: 'From',
    type: 'Type',
    started: 'Started',
    duration: 'Duration',
    end: 'End',
  },
  active: 'Active',
  ended: 'Ended',
  /** A session that has not proved who it is: still trying, or turned away. */
  signingIn: 'signing in',
  signInFailed: 'sign-in failed',
  removedDevice: 'removed device',
  types: { web: 'Browser', term: 'SSH' },
  running: 'Running',
  endedBy: {
    user: 'the user',
    agent: 'the device',
    gateway: 'the server',
    admin: 'an administrator',
    policy: 'a rule',
  },
  cause: (by: string, reason: string) => `${reason} (by ${by})`,
  loadFailed: 'The sessions could not be loaded.',
  empty: 'No sessions yet',
  emptyText:
    'Every SSH connection to a device is listed here: who, from where, for how long and why it ended. Failed sign-ins too.',
  toDevices: 'Choose a device to connect to',
} as const
