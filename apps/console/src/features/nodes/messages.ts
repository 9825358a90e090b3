// Texts of the page about nodes.
export const nodeMessages = {
  title: 'Nodes',
  loadFailed: 'The nodes could not be loaded.',
  noAccess: 'Administrators of this server look after its nodes',
  noAccessText:
    'This page is for administrators of the server. On the server, “bowline user admin <username>” makes an account one.',
  isThis: 'This is the node that answers you.',
  alone: 'This is the only node. Set BOWLINE_NODE_ADDRESS to run several.',
  states: { alive: 'runs', draining: 'is stopping', late: 'does not report', lost: 'lost' },
  warnings: {
    draining: 'The node is stopping',
    late: 'The node does not report',
    lost: 'The node was lost',
  },
  warningTexts: {
    draining:
      'Its devices move to the other nodes. Running sessions continue until they end or BOWLINE_DRAIN_SECONDS have passed.',
    late: 'Without a heartbeat for 15 seconds its devices count as offline, and the others take over.',
    lost: 'The others have closed its sessions, and its devices have connected to them. It is listed for a day.',
  },
  facts: {
    state: 'State',
    address: 'Address for the other nodes',
    version: 'Version',
    started: 'Started',
    heartbeat: 'Last heartbeat',
    links: 'Connected devices',
    sessions: 'Connections of people',
  },
} as const
