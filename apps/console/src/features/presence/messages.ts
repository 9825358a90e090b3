// Texts of presence and incidents.
import { i18n } from '../../platform/language/i18n.ts'

export const presenceMessages = {
  title: i18n._('Devices online'),
  periods: { day: i18n._('24 hours'), month: i18n._('30 days') },
  period: i18n._('Period'),
  loadFailed: i18n._('The presence of devices could not be loaded.'),
  unknown: i18n._('Recording has just started. The chart fills over time.'),
  summary: (lowest: string, highest: string, total: number, period: string) =>
    lowest === highest
      ? i18n._('{highest} of {total, plural, one {# device} other {# devices}} online throughout the last {period}.', {
          highest,
          total,
          period,
        })
      : i18n._(
          'Between {lowest} and {highest} of {total, plural, one {# device} other {# devices}} online in the last {period}.',
          {
            lowest,
            highest,
            total,
            period,
          },
        ),
  bucket: (at: string, online: string, lowest: string) =>
    online === lowest
      ? i18n._('{at}: {online} online', { at, online })
      : i18n._('{at}: {online} online on average, {lowest} at least', { at, online, lowest }),
  bucketUnknown: (at: string) => i18n._('{at}: not recorded', { at }),
  showTable: i18n._('Show as a table'),
  hideTable: i18n._('Hide the table'),
  table: i18n._('Devices online by time'),
  columns: { time: i18n._('Time'), average: i18n._('On average'), lowest: i18n._('At least') },
  notRecorded: i18n._('not recorded'),
  now: i18n._('now'),
  ofDevice: {
    title: i18n._('Presence'),
    loadFailed: i18n._('The presence of this device could not be loaded.'),
    share: (share: string, period: string) => i18n._('Online {share} of the last {period}', { share, period }),
    shareSince: (share: string, since: string) => i18n._('Online {share} of the time since {since}', { share, since }),
    nothing: i18n._('Nothing has been recorded yet.'),
    absences: (count: number) =>
      i18n._('{count, plural, =0 {never offline} =1 {offline once} one {offline # time} other {offline # times}}', {
        count,
      }),
    breaks: (count: number) => i18n._('{count, plural, one {# short reconnect} other {# short reconnects}}', { count }),
    table: i18n._('Times offline'),
    columns: {
      from: i18n._('Went offline'),
      to: i18n._('Back online'),
      duration: i18n._('Duration'),
      cause: i18n._('Cause'),
    },
    stillAway: i18n._('still offline'),
    spanOnline: (from: string, to: string) => i18n._('Online from {from} to {to}', { from, to }),
  },
  versions: {
    title: i18n._('Agent versions'),
    loadFailed: i18n._('The versions could not be loaded.'),
    none: i18n._('No device has reported a version.'),
    devices: (count: number) => i18n._('{count, plural, one {# device} other {# devices}}', { count }),
  },
  incidents: {
    title: i18n._('Incidents'),
    all: i18n._('All incidents'),
    none: i18n._('No device went offline unexpectedly in the last 30 days.'),
    noneOpen: i18n._('No open incidents.'),
    noneText: i18n._(
      'Devices that disconnect together appear here as one line. Restarts of the server and removed devices do not.',
    ),
    loadFailed: i18n._('The incidents could not be loaded.'),
    gone: i18n._('Incident not found'),
    goneText: i18n._('Its devices have been removed, or it is older than 30 days.'),
    back: i18n._('Back to all incidents'),
    states: { all: i18n._('All'), open: i18n._('Open'), over: i18n._('Resolved') },
    stateLabel: i18n._('State of incidents'),
    /** One line; `where` is a network in CIDR notation. */
    line: (devices: number, names: string, where = '', over = '') =>
      i18n._(
        '{devices, plural, one {{names} went offline} other {# devices went offline}}{over, select, none {} other { within {over}}}{where, select, none {} other { from {where}}}',
        { devices, names, over: over || 'none', where: where || 'none' },
      ),
    lineOfServer: (devices: number, names: string) =>
      i18n._(
        '{devices, plural, one {{names} went offline} other {# devices went offline}}: the server that held the connections failed',
        { devices, names },
      ),
    away: (away: string, devices: number) =>
      i18n._('{devices, plural, one {Still offline} other {{away} still offline}}', { devices, away }),
    resolved: (duration: string) => i18n._('All back after {duration}', { duration }),
    resolvedOne: (duration: string) => i18n._('Back after {duration}', { duration }),
    facts: {
      title: i18n._('What happened'),
      started: i18n._('First disconnect'),
      last: i18n._('Last disconnect'),
      ended: i18n._('All back'),
      network: i18n._('Network'),
      cause: i18n._('Cause'),
      devices: i18n._('Devices'),
      away: i18n._('Still offline'),
    },
    serverNetwork: i18n._('several'),
    unknownNetwork: i18n._('unknown'),
    devices: i18n._('Devices of this incident'),
    toList: i18n._('Show in the list of devices'),
    devicesOf: (line: string) => i18n._('Devices of: {line}', { line }),
    devicesShort: i18n._('Devices'),
    devicesFailed: i18n._('The devices of this incident could not be loaded.'),
    columns: {
      incident: i18n._('Incident'),
      started: i18n._('Started'),
      state: i18n._('State'),
      cause: i18n._('Cause'),
      device: i18n._('Device'),
      left: i18n._('Went offline'),
      back: i18n._('Back online'),
    },
    table: i18n._('Incidents'),
  },
  causes: {
    'network:keepalive': i18n._('Connection timed out'),
    'network:connection-lost': i18n._('Connection lost'),
    'network:disconnected': i18n._('Connection closed'),
    'agent:stopped': i18n._('Agent stopped'),
    'agent:moved': i18n._('Agent left for another connection'),
    'gateway:node-lost': i18n._('Server failed'),
    'gateway:stopped': i18n._('Server stopped'),
    'gateway:draining': i18n._('Server restarted'),
    'gateway:displaced': i18n._('Replaced by a newer connection'),
    'admin:status': i18n._('Status changed'),
  } as Readonly<Record<string, string>>,
  otherCause: i18n._('Connection ended'),
} as const

/** @param cause `by:reason`, as the API tells it */
export function causeText(cause: string): string {
  return presenceMessages.causes[cause] ?? presenceMessages.otherCause
}
