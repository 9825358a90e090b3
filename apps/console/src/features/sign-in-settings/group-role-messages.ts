// Texts about roles that groups of a provider give, and what the tester says about them.
const roles = { administrator: 'Administrator', operator: 'Operator', observer: 'Observer' } as const
type Role = keyof typeof roles

export const groupRoleMessages = {
  title: 'Roles by group',
  text: 'At each sign-in people get the roles of their groups, and lose those of groups they are no longer in. Groups are compared as the provider sends them. Memberships made by hand stay as they are, and where a namespace is provisioned by SCIM, SCIM decides.',
  none: 'No group gives a role.',
  roles,
  gives: (role: Role, namespace: string) => `${roles[role]} in ${namespace}`,
  form: 'Add a role',
  group: 'Group',
  namespace: 'Namespace',
  role: 'Role',
  add: 'Add role',
  added: (group: string) => `${group} gives a role at the next sign-in`,
  remove: 'Remove',
  removeOne: (group: string, namespace: string) => `Remove the role of ${group} in ${namespace}`,
  removed: (group: string) => `${group} gives that role no longer`,
  notSaved: 'The roles were not saved',
  open: 'Roles',
  openOne: (name: string) => `Roles by group of ${name}`,
  outcomes: {
    add: (role: string, namespace: string) => `It makes the person a member of ${namespace}: ${role}.`,
    change: (role: string, namespace: string) => `It changes the role in ${namespace}: ${role}.`,
    keep: (role: string, namespace: string) => `The role in ${namespace} stays: ${role}.`,
    remove: (_: string, namespace: string) => `It ends the membership of ${namespace}: no group gives it any more.`,
    'by-hand': (_: string, namespace: string) => `The membership of ${namespace} was made in another way and stays.`,
    scim: (_: string, namespace: string) => `SCIM decides the roles in ${namespace}.`,
  },
} as const
