// Texts of presence and incidents.
export const presenceMessages = {
  title: 'Devices online',
  periods: { day: '24 hours', month: '30 days' },
  period: 'Period',
  loadFailed: 'The presence of devices could not be loaded.',
  unknown: 'Recording has just begun. The chart fills as time passes.',
  summary: (lowest: string, highest: string, total: string, period: string) =>
    lowest === highest
      ? `${highest} of ${total} devices online throughout the last ${period}.`
      : `Between ${lowest} and ${highest} of ${total} devices online in the last ${period}.`,
  bucket: (at: string, online: string, lowest: string) =>
    online === lowest ? `${at}: ${online} online` : `${at}: ${online} online on average, ${lowest} at least`,
  bucketUnknown: (at: string) => `${at}: not recorded`,
  showTable: 'Show as a table',
  hideTable: 'Hide the table',
  table: 'Devices online by time',
  columns: { time: 'Time', average: 'On average', lowest: 'At least' },
  notRecorded: 'not recorded',
  now: 'now',
  ofDevice: {
    title: 'Presence',
    loadFailed: 'The presence of this device could not be loaded.',
    share: (share: string, period: string) => `Online ${share} of the last ${period}`,
    shareSince: (share: string, since: string) => `Online ${share} of the time since ${since}`,
    nothing: 'Nothing has been recorded yet.',
    absences: (count: number) =>
      count === 0 ? 'never offline' : count === 1 ? 'offline once' : `offline ${count} times`,
    breaks: (count: number) => (count === 1 ? '1 short reconnect' : `${count} short reconnects`),
    table: 'Times offline',
    columns: { from: 'Went offline', to: 'Came back', duration: 'Duration', cause: 'Cause' },
    stillAway: 'still offline',
    spanOnline: (from: string, to: string) => `Online from ${from} to ${to}`,
  },
  versions: {
    title: 'Agent versions',
    loadFailed: 'The versions could not be loaded.',
    none: 'No device has reported a version.',
    devices: (count: string) => (count === '1' ? '1 device' : `${count} devices`),
  },
  incidents: {
    title: 'Incidents',
    all: 'All incidents',
    none: 'No device went offline unexpectedly in the last 30 days.',
    noneOpen: 'No open incidents.',
    noneText:
      'Devices that disconnect together appear here as one line. Restarts of the server and removed devices do not.',
    loadFailed: 'The incidents could not be loaded.',
    gone: 'Incident not found',
    goneText: 'Its devices have been removed, or it is older than 30 days.',
    back: 'Back to all incidents',
    states: { all: 'All', open: 'Open', over: 'Resolved' },
    stateLabel: 'State of incidents',
    /** One line; `where` is a network in CIDR notation. */
    line: (devices: string, names: string, where: string | undefined, over: string | undefined) =>
      `${devices === '1' ? names : `${devices} devices`} went offline${over === undefined ? '' : ` within ${over}`}${where === undefined ? '' : ` from ${where}`}`,
    lineOfServer: (devices: string, names: string) =>
      `${devices === '1' ? names : `${devices} devices`} went offline: the server that held the connections failed`,
    away: (away: string, devices: string) => (devices === '1' ? 'Still offline' : `${away} still offline`),
    resolved: (duration: string) => `All back after ${duration}`,
    resolvedOne: (duration: string) => `Back after ${duration}`,
    facts: {
      title: 'What happened',
      started: 'First disconnect',
      last: 'Last disconnect',
      ended: 'All back',
      network: 'Network',
      cause: 'Cause',
      devices: 'Devices',
      away: 'Still offline',
    },
    serverNetwork: 'several',
    unknownNetwork: 'unknown',
    devices: 'Devices of this incident',
    toList: 'Show in the list of devices',
    devicesOf: (line: string) => `Devices of: ${line}`,
    devicesShort: 'Devices',
    devicesFailed: 'The devices of this incident could not be loaded.',
    columns: {
      incident: 'Incident',
      started: 'Started',
      state: 'State',
      cause: 'Cause',
      device: 'Device',
      left: 'Went offline',
      back: 'Came back',
    },
    table: 'Incidents',
  },
  causes: {
    'network:keepalive': 'Connection timed out',
    'network:connection-lost': 'Connection lost',
    'network:disconnected': 'Connection closed',
    'agent:stopped': 'Agent stopped',
    'agent:moved': 'Agent left for another connection',
    'gateway:node-lost': 'Server failed',
    'gateway:stopped': 'Server stopped',
    'gateway:draining': 'Server restarted',
    'gateway:displaced': 'Replaced by a newer connection',
    'admin:status': 'Status changed',
  } as Readonly<Record<string, string>>,
  otherCause: 'Connection ended',
} as const

/** @param cause `by:reason`, as the API tells it */
export function causeText(cause: string): string {
  return presenceMessages.causes[cause] ?? presenceMessages.otherCause
}
