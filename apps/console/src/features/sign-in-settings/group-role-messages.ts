// Texts about roles that groups of a provider give, and what the tester says about them.
import { i18n } from '../../platform/language/i18n.ts'

const roles = {
  administrator: i18n._('Administrator'),
  operator: i18n._('Operator'),
  observer: i18n._('Observer'),
} as const
type Role = keyof typeof roles

export const groupRoleMessages = {
  title: i18n._('Roles by group'),
  text: i18n._(
    'At each sign-in people get the roles of their groups, and lose those of groups they are no longer in. Groups are compared as the provider sends them. Memberships made by hand stay as they are, and where a namespace is provisioned by SCIM, SCIM decides.',
  ),
  none: i18n._('No group gives a role.'),
  roles,
  gives: (role: Role, namespace: string) => i18n._('{role} in {namespace}', { role: roles[role], namespace }),
  form: i18n._('Add a role'),
  group: i18n._('Group'),
  namespace: i18n._('Namespace'),
  role: i18n._('Role'),
  add: i18n._('Add role'),
  added: (group: string) => i18n._('{group} gives a role at the next sign-in', { group }),
  remove: i18n._('Remove'),
  removeOne: (group: string, namespace: string) =>
    i18n._('Remove the role of {group} in {namespace}', { group, namespace }),
  removed: (group: string) => i18n._('{group} gives that role no longer', { group }),
  notSaved: i18n._('The roles were not saved'),
  open: i18n._('Roles'),
  openOne: (name: string) => i18n._('Roles by group of {name}', { name }),
  outcomes: {
    add: (role: string, namespace: string) =>
      i18n._('It makes the person a member of {namespace}: {role}.', { namespace, role }),
    change: (role: string, namespace: string) =>
      i18n._('It changes the role in {namespace}: {role}.', { namespace, role }),
    keep: (role: string, namespace: string) => i18n._('The role in {namespace} stays: {role}.', { namespace, role }),
    remove: (_: string, namespace: string) =>
      i18n._('It ends the membership of {namespace}: no group gives it any more.', { namespace }),
    'by-hand': (_: string, namespace: string) =>
      i18n._('The membership of {namespace} was made in another way and stays.', { namespace }),
    scim: (_: string, namespace: string) => i18n._('SCIM decides the roles in {namespace}.', { namespace }),
  },
} as const
