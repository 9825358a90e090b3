// Texts of the overview.
import { i18n } from '../../platform/language/i18n.ts'

export const dashboardMessages = {
  title: i18n._('Overview'),
  counters: i18n._('Counters'),
  online: i18n._('Devices online'),
  ofRegistered: (count: string) => i18n._('of {count}', { count }),
  containers: (online: string, registered: string) =>
    i18n._('and {online} of {registered} containers', { online, registered }),
  pending: i18n._('Pending approval'),
  inTrouble: i18n._('Devices in trouble'),
  active: i18n._('Running sessions'),
  rejected: i18n._('Rejected devices'),
  loadFailed: i18n._('The counters could not be loaded.'),
  attention: {
    title: i18n._('Needs attention'),
    containers: (count: number) =>
      i18n._('{count, plural, one {# pending container} other {# pending containers}}', { count }),
    lost: (count: number) =>
      i18n._(
        '{count, plural, one {# device went offline in the last 24 hours} other {# devices went offline in the last 24 hours}}',
        { count },
      ),
    refused: (count: number) =>
      i18n._(
        '{count, plural, one {# failed sign-in in the last 24 hours} other {# failed sign-ins in the last 24 hours}}',
        { count },
      ),
    expiring: (count: number, name: string) =>
      i18n._(
        '{count, plural, one {The API key {name} expires within a week} other {# API keys expire within a week}}',
        { count, name },
      ),
    full: (used: string, limit: number) =>
      i18n._('{used} of {limit, plural, one {# device} other {# devices}} used', { used, limit }),
  },
  waiting: i18n._('Pending devices'),
  running: i18n._('Running sessions'),
  runningEmpty: i18n._('No running sessions.'),
  recent: i18n._('Recently seen'),
  all: i18n._('All'),
  allOf: (what: string) => i18n._('All: {what}', { what }),
  steps: i18n._('First steps'),
  stepsText: i18n._('Set up this namespace in four steps.'),
  stepsDone: (done: number, total: number) => i18n._('{done} of {total} done', { done, total }),
  hideSteps: i18n._('Hide'),
  done: i18n._('Done'),
  open: i18n._('To do'),
  device: i18n._('Add a device'),
  deviceText: i18n._('One command on the machine; it dials out, so no port needs to be opened.'),
  key: i18n._('Add your public key'),
  keyText: i18n._('Log in to every device with the key you already have.'),
  member: i18n._('Invite a teammate'),
  memberText: i18n._('Roles control who can connect, approve devices and change rules.'),
  rule: i18n._('Add a firewall rule'),
  ruleText: i18n._('Control who can reach which device, from where and as which user.'),
} as const
