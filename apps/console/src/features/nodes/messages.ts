// Texts of the page about nodes.
import { i18n } from '../../platform/language/i18n.ts'

export const nodeMessages = {
  title: i18n._('Nodes'),
  loadFailed: i18n._('The nodes could not be loaded.'),
  noAccess: i18n._('Only administrators of this server can manage its nodes'),
  noAccessText: i18n._(
    'This page is for administrators of the server. On the server, “bowline user admin <username>” makes an account one.',
  ),
  isThis: i18n._('You are connected to this node.'),
  alone: i18n._('This is the only node. Set BOWLINE_NODE_ADDRESS to run several.'),
  states: {
    alive: i18n._('running'),
    draining: i18n._('stopping'),
    late: i18n._('not reporting'),
    lost: i18n._('lost'),
  },
  warnings: {
    draining: i18n._('The node is stopping'),
    late: i18n._('The node is not reporting'),
    lost: i18n._('The node was lost'),
  },
  warningTexts: {
    draining: i18n._(
      'Its devices move to the other nodes. Running sessions continue until they end or BOWLINE_DRAIN_SECONDS have passed.',
    ),
    late: i18n._('Without a heartbeat for 15 seconds its devices count as offline, and the others take over.'),
    lost: i18n._(
      'The others have closed its sessions, and its devices have connected to them. It is listed for a day.',
    ),
  },
  facts: {
    state: i18n._('State'),
    address: i18n._('Address for the other nodes'),
    version: i18n._('Version'),
    started: i18n._('Started'),
    heartbeat: i18n._('Last heartbeat'),
    links: i18n._('Connected devices'),
    sessions: i18n._('SSH connections'),
  },
} as const
