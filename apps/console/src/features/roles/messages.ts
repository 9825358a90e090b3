// Texts of the roles that a namespace makes for itself.
import type { GrantablePermission } from '@bowline/contract/roles'
import { i18n } from '../../platform/language/i18n.ts'

const permissions: Readonly<Record<GrantablePermission, string>> = {
  deviceAccept: i18n._('Accept and reject devices'),
  deviceUpdate: i18n._('Change devices: name, note, fields'),
  deviceRename: i18n._('Rename devices'),
  deviceTagCreate: i18n._('Add a tag to a device'),
  deviceTagUpdate: i18n._('Replace the tags of a device'),
  deviceTagRemove: i18n._('Remove a tag from a device'),
  deviceRemove: i18n._('Remove devices, accept their new host keys'),
  sessionPlay: i18n._('Watch sessions and play recordings'),
  sessionClose: i18n._('End sessions'),
  sessionRemove: i18n._('Delete recordings'),
  tunnelCreate: i18n._('Open and change tunnels'),
  tunnelDelete: i18n._('Remove tunnels'),
  auditRead: i18n._('Read and export the audit log'),
  installKeyCreate: i18n._('Create install keys'),
  installKeyDelete: i18n._('Revoke install keys'),
  agentUpdate: i18n._('Update agents'),
  connectorSet: i18n._('Add connectors'),
  connectorUpdate: i18n._('Change connectors'),
  connectorDelete: i18n._('Remove connectors'),
}

export const rolesMessages = {
  permissions,
  intro: i18n._(
    'Roles of this namespace add permissions to a member’s role, for all devices or only for those with certain tags.',
  ),
  tableLabel: i18n._('Roles of the namespace'),
  columns: {
    name: i18n._('Name'),
    permissions: i18n._('Permissions'),
    devices: i18n._('Devices'),
    members: i18n._('Members'),
  },
  allDevices: i18n._('All'),
  taken: { name: i18n._('A role with this name already exists. Choose another one.') },
  labels: {
    name: i18n._('Name'),
    permissions: i18n._('Permissions'),
    tags: i18n._('Tags'),
    limited: i18n._('Applies to'),
  },
  aboutDevices: i18n._('Devices, sessions and tunnels'),
  aboutNamespace: i18n._('The namespace'),
  everywhere: i18n._('All devices'),
  byTag: i18n._('Only devices with one of these tags'),
  namespaceHint: i18n._('Permissions of the namespace cannot be limited to devices.'),
  tagsHint: i18n._('Only people who can edit members can add these tags to a device or remove them.'),
  add: i18n._('Add role'),
  addTitle: i18n._('Add a role'),
  addFailed: i18n._('The role was not added'),
  added: (name: string) => i18n._('Role {name} added.', { name }),
  edit: i18n._('Edit'),
  editNamed: (name: string) => i18n._('Edit role {name}', { name }),
  editTitle: (name: string) => i18n._('Edit {name}', { name }),
  save: i18n._('Save'),
  saveFailed: i18n._('The role was not changed'),
  saved: (name: string) => i18n._('Role {name} changed.', { name }),
  remove: i18n._('Remove'),
  removeNamed: (name: string) => i18n._('Remove role {name}', { name }),
  removeTitle: (name: string) => i18n._('Remove role {name}?', { name }),
  removeText: (members: number) =>
    members === 0
      ? i18n._('No member has it.')
      : i18n._('{members, plural, one {# member loses} other {# members lose}} its permissions at once.', { members }),
  removed: (name: string) => i18n._('Role {name} removed.', { name }),
  removeFailed: (name: string) => i18n._('Role {name} could not be removed', { name }),
  empty: i18n._('No roles yet'),
  emptyText: i18n._(
    'Every namespace has owners, administrators, operators and observers. Add a role for what they do not cover, such as an auditor or the staff of one site.',
  ),
  loadFailed: i18n._('The roles could not be loaded.'),
  mayNot: i18n._('Your role in this namespace does not allow this.'),
  ofMember: (email: string) => i18n._('Additional roles of {email}', { email }),
  assign: i18n._('Additional roles'),
  noneHint: i18n._('This namespace has no roles of its own yet. Add one on the Roles tab.'),
  assigned: (email: string) => i18n._('The roles of {email} were changed.', { email }),
  assignFailed: i18n._('The roles were not changed'),
  described: (names: readonly string[], tags: readonly string[] | null) =>
    tags === null
      ? names.join(' · ')
      : i18n._('{names} – on {tags}', { names: names.join(' · '), tags: tags.join(', ') }),
}
