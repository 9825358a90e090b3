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
  tagRuleEdit: administrators,
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
  auditRead: administrators,
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

/**
 * Permissions that a namespace's own roles may have. Those about one device can be limited to devices with a tag. Whatever
 * decides who gets in, as members, by keys or by rules, stays with administrators: it would lead to every other permission.
 */
export const GRANTABLE = {
  devices: [
    'deviceAccept',
    'deviceUpdate',
    'deviceRename',
    'deviceTagCreate',
    'deviceTagUpdate',
    'deviceTagRemove',
    'deviceRemove',
    'sessionPlay',
    'sessionClose',
    'sessionRemove',
    'tunnelCreate',
    'tunnelDelete',
  ],
  namespace: [
    'auditRead',
    'installKeyCreate',
    'installKeyDelete',
    'agentUpdate',
    'connectorSet',
    'connectorUpdate',
    'connectorDelete',
  ],
} as const satisfies Record<string, readonly Permission[]>

export type DevicePermission = (typeof GRANTABLE.devices)[number]
export type GrantablePermission = DevicePermission | (typeof GRANTABLE.namespace)[number]

/** What a member has by one of the namespace's own roles, beside their role. */
export interface Grant {
  readonly permissions: readonly string[]
  /** On devices with one of these tags only; null: everywhere. */
  readonly tags: readonly string[] | null
}

/** Whether grants give a permission everywhere. */
export function grantsGive(grants: readonly Grant[], permission: Permission): boolean {
  return grants.some(({ permissions, tags }) => tags === null && permissions.includes(permission))
}

/** Tags of the devices on which grants give a permission that they do not give everywhere. */
export function tagsGiving(grants: readonly Grant[], permission: Permission): string[] {
  return [...new Set(grants.flatMap(({ permissions, tags }) => (permissions.includes(permission) ? (tags ?? []) : [])))]
}

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
