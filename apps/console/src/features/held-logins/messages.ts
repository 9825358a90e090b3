// Texts of SSH logins that wait for their person.
export const heldLoginMessages = {
  title: 'Approve an SSH login',
  question: (who: string) => `Let the login to ${who} in?`,
  warning:
    'Approve only a login that you have started yourself, just now, and only if your terminal shows the same code. Nobody from support ever asks you for an approval.',
  facts: {
    code: 'Code',
    device: 'Device',
    account: 'Account',
    namespace: 'Namespace',
    key: 'Key',
    source: 'From',
    left: 'Time left',
  },
  password: 'password',
  unknownPlace: 'unknown place',
  seconds: (count: number) => (count === 1 ? '1 second' : `${count} seconds`),
  window: (hours: number) =>
    hours === 1
      ? 'For an hour, the same key from the same network gets in without asking again.'
      : `For ${hours} hours, the same key from the same network gets in without asking again.`,
  approve: 'Approve',
  deny: 'Deny',
  approved: 'The login is approved. You can close this page.',
  denied: 'The login was denied. The same key is refused for some minutes.',
  gone: 'No login of yours waits under this code. It may have been decided or have expired: connect again.',
  decideFailed: 'The login still waits',
  loadFailed: 'The login could not be loaded',
  waiting: (count: number) =>
    count === 1 ? 'An SSH login waits for your approval' : `${count} SSH logins wait for your approval`,
  open: (who: string, source: string, code: string) => `${who} from ${source}, code ${code}`,
}

/** Account and device as people type them. */
export function whoOf(login: {
  readonly username: string
  readonly namespace: string
  readonly device_name: string
}): string {
  return `${login.username}@${login.namespace}.${login.device_name}`
}
