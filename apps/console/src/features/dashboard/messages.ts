// Texts of the overview.
export const dashboardMessages = {
  title: 'Overview',
  counters: 'Counters',
  online: 'Devices online',
  ofRegistered: (count: string) => `of ${count}`,
  containers: (online: string, registered: string) => `and ${online} of ${registered} containers`,
  pending: 'Waiting for you',
  active: 'Running sessions',
  rejected: 'Rejected devices',
  loadFailed: 'The counters could not be loaded.',
  attention: {
    title: 'Needs attention',
    containers: (count: number) =>
      count === 1 ? '1 container waits to be accepted' : `${count} containers wait to be accepted`,
    lost: (count: number) =>
      count === 1 ? '1 device seen since yesterday is offline' : `${count} devices seen since yesterday are offline`,
    refused: (count: number) =>
      count === 1 ? '1 sign-in failed since yesterday' : `${count} sign-ins failed since yesterday`,
    expiring: (count: number, name: string) =>
      count === 1 ? `The API key ${name} expires within a week` : `${count} API keys expire within a week`,
    full: (used: string, limit: string) => `${used} of ${limit} places for devices are taken`,
  },
  waiting: 'Waiting devices',
  running: 'Running sessions',
  runningEmpty: 'Nobody is connected at the moment.',
  recent: 'Last seen devices',
  all: 'All',
  allOf: (what: string) => `All: ${what}`,
  steps: 'First steps',
  stepsText: 'Set up this namespace in four steps.',
  stepsDone: (done: number, total: number) => `${done} of ${total} done`,
  hideSteps: 'Hide',
  done: 'Done',
  open: 'To do',
  device: 'Add a device',
  deviceText: 'One command on the machine; it dials out, so no port needs to be opened.',
  key: 'Add your public key',
  keyText: 'Sign in to every device with the key you already have.',
  member: 'Invite somebody',
  memberText: 'Roles say who may connect, decide and change rules.',
  rule: 'Add a firewall rule',
  ruleText: 'Who may reach which device, from where, as whom.',
} as const
