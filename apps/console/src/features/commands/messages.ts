// Texts of a command on many devices.
import { i18n } from '../../platform/language/i18n.ts'

export const commandsMessages = {
  action: i18n._('Run a command'),
  atMost: (most: string) => i18n._('A command can run on up to {most} devices at once.', { most }),
  noneOnline: i18n._('None of the selected devices is online.'),
  loadFailed: i18n._('The matching devices could not be loaded.'),
  title: (count: number) => i18n._('Run a command on {count, plural, one {# device} other {# devices}}', { count }),
  hint: i18n._(
    'It runs in a separate session on each device, without a terminal and without input. Firewall rules, recording and the log of sessions apply.',
  ),
  offline: (count: number) =>
    i18n._('{count, plural, one {# selected device is} other {# selected devices are}} offline and will be skipped.', {
      count,
    }),
  command: i18n._('Command'),
  commandRequired: i18n._('Enter a command.'),
  commandTooLong: (most: string) => i18n._('A command can have up to {most} characters.', { most }),
  snippet: i18n._('Insert a snippet'),
  run: i18n._('Run'),
  progress: (done: string, total: number) =>
    i18n._('{done} of {total, plural, one {# device} other {# devices}} done', { done, total }),
  progressLabel: i18n._('Progress'),
  summary: (worked: string, total: number) =>
    i18n._('Succeeded on {worked} of {total, plural, one {# device} other {# devices}}.', { worked, total }),
  refusedEarly: i18n._('The first device refused the user name or the credential, so it was not tried on the others.'),
  results: i18n._('Results, identical ones grouped'),
  exited: (status: number) => i18n._('Exit status {status}', { status }),
  killed: (signal: string) => i18n._('Ended by signal {signal}', { signal }),
  refused: i18n._('Sign-in refused'),
  stopped: i18n._('Not run'),
  asks: i18n._('The device asks more questions. Open a terminal to answer them.'),
  devices: (count: number) => i18n._('{count, plural, one {# device} other {# devices}}', { count }),
  output: i18n._('Output'),
  noOutput: i18n._('No output'),
  cut: i18n._('Only the beginning of the output is kept.'),
  moreGroups: (count: string) => i18n._('{count} more results; Export CSV has them all.', { count }),
  again: (count: number) =>
    i18n._('Run again on {count, plural, one {# failed device} other {# failed devices}}', { count }),
  stop: i18n._('Stop'),
  another: i18n._('Another command'),
  save: i18n._('Export CSV'),
} as const
