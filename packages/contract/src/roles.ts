// Access control: the roles of a namespace and the permission table. The single source of truth for guards, the
// console's disabled buttons and the documentation.

/** Member roles, lowest first. */
export const ROLES = ['observer', 'operator', 'administrator', 'owner'] as const
export type Role = (typeof ROLES)[number]

const everyone = ['observer', 'operator', 'administrator', 'owner'] as const
const operators = ['operator', 'administrator', 'owner'] as const
const administrators = ['administrator', 'owner'] as const
const owners = ['owner'] as const

/** Permission → the roles that have it. Lists and details only require membership and are not in the table. */
export const PERMISSIONS = {
  deviceConnect: everyone,
  deviceDetails: everyone,
  sessionDetails: everyone,
  deviceAccept: operators,
  deviceReject: operators,
  deviceUpdate: operators,
  deviceRename: operators,
  deviceTagCreate: operators,
  deviceTagUpdate: operators,
  deviceTagRemove: operators,
  deviceTagRename: operators,
  deviceTagDelete: operators,
  deviceRemove: administrators,
  deviceImport: administrators,
  sessionPlay: administrators,
  sessionClose: administrators,
  sessionRemove: administrators,
  sessionUpdate: administrators,
  firewallCreate: administrators,
  firewallEdit: administrators,
  firewallRemove: administrators,
  firewallTagAdd: administrators,
  firewallTagUpdate: administrators,
  firewallTagRemove: administrators,
  publicKeyCreate: administrators,
  publicKeyEdit: administrators,
  publicKeyRemove: administrators,
  publicKeyTagAdd: administrators,
  publicKeyTagUpdate: administrators,
  publicKeyTagRemove: administrators,
  namespaceUpdate: administrators,
  namespaceAddMember: administrators,
  namespaceEditMember: administrators,
  namespaceRemoveMember: administrators,
  namespaceEnableSessionRecord: administrators,
  apiKeyCreate: administrators,
  apiKeyUpdate: administrators,
  apiKeyDelete: administrators,
  installKeyCreate: administrators,
  installKeyDelete: administrators,
  agentUpdate: administrators,
  connectorSet: administrators,
  connectorUpdate: administrators,
  connectorDelete: administrators,
  tunnelCreate: administrators,
  tunnelDelete: administrators,
  namespaceDelete: owners,
  namespaceExport: owners,
  billingCreateCustomer: owners,
  billingChooseDevices: owners,
  billingAddPaymentMethod: owners,
  billingUpdatePaymentMethod: owners,
  billingRemovePaymentMethod: owners,
  billingCreateSubscription: owners,
  billingGetSubscription: owners,
} as const satisfies Record<string, readonly Role[]>

export type Permission = keyof typeof PERMISSIONS

/** Whether `role` has `permission`. */
export function roleMay(role: Role, permission: Permission): boolean {
  const roles: readonly Role[] = PERMISSIONS[permission]
  return roles.includes(role)
}

/** Position of a role: observer 0 … owner 3. */
export function rank(role: Role): number {
  return ROLES.indexOf(role)
}

/**
 * Whether a member with role `actor` may grant `target`, or act on a member who has it. Owners are never granted and
 * never acted on; equals may act on equals.
 */
export function hasAuthorityOver(actor: Role, target: Role): boolean {
  return target !== 'owner' && rank(actor) >= rank(target)
}
