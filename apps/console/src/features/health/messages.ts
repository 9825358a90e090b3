// Texts of the health of devices.
import type { HealthHistory } from '@bowline/contract/operations/fleet/health'
import type { Trouble } from '@bowline/contract/schemas/fleet/health'
import { i18n } from '../../platform/language/i18n.ts'

export type Measure = Exclude<keyof HealthHistory['points'][number], 'at'>

const measures: Readonly<Record<Measure, string>> = {
  cpu: i18n._('Processors'),
  load: i18n._('Load per processor'),
  memory: i18n._('Memory'),
  disk: i18n._('Fullest disk'),
  latency_ms: i18n._('Latency of the connection'),
}

const troubles: Readonly<Record<Trouble, string>> = {
  disk: i18n._('Disk nearly full'),
  memory: i18n._('Memory nearly full'),
  load: i18n._('High load'),
  latency: i18n._('Slow connection'),
  rebooted: i18n._('Restarted recently'),
}

export const healthMessages = {
  title: i18n._('Health'),
  loadFailed: i18n._('The health of this device could not be loaded.'),
  measures,
  troubles,
  troubleChoices: { any: i18n._('In trouble'), ...troubles },
  trouble: i18n._('Trouble'),
  anyTrouble: i18n._('Any health'),
  well: i18n._('No trouble'),
  unknown: i18n._('unknown'),
  ofMemory: (available: string, total: string) => i18n._('{available} of {total} available', { available, total }),
  onFilesystem: (path: string, free: string, total: string) =>
    i18n._('{path}: {free} of {total} free', { path, free, total }),
  cpus: (count: number) => i18n._('{count, plural, one {# processor} other {# processors}}', { count }),
  running: i18n._('Last boot'),
  reported: i18n._('Last report'),
  between: (lowest: string, highest: string) => i18n._('Between {lowest} and {highest}', { lowest, highest }),
  always: (value: string) => i18n._('Constant at {value}', { value }),
  nothing: i18n._('No data in this period'),
  showTable: i18n._('Show as a table'),
  hideTable: i18n._('Hide the table'),
  table: i18n._('Health by time'),
  time: i18n._('Time'),
  silent: {
    never: i18n._(
      'No reports yet. A device with our agent reports within a minute of connecting. Containers, and devices without our agent, do not report.',
    ),
    off: i18n._(
      'The operator of this device has switched reports off. Only the round trip of its connection is measured.',
    ),
    unsupported: i18n._(
      'The agent of this device is too old to report its health. Only the round trip of its connection is measured. Update the agent to see more.',
    ),
  },
} as const
