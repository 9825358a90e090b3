// The permission table, duplicated: a change here changes access rights.
import { describe, expect, it } from 'vitest'
import {
  GRANTABLE,
  PERMISSIONS,
  ROLES,
  type Role,
  grantsGive,
  hasAuthorityOver,
  rank,
  roleMay,
  tagsGiving,
} from './roles.ts'

/** Permission → the lowest role that has it. */
const LOWEST: Record<keyof typeof PERMISSIONS, Role> = {
  deviceConnect: 'observer',
  deviceDetails: 'observer',
  sessionDetails: 'observer',
  deviceAccept: 'operator',
  deviceReject: 'operator',
  deviceUpdate: 'operator',
  deviceRename: 'operator',
  deviceTagCreate: 'operator',
  deviceTagUpdate: 'operator',
  deviceTagRemove: 'operator',
  deviceTagRename: 'operator',
  deviceTagDelete: 'operator',
  deviceRemove: 'administrator',
  deviceImport: 'administrator',
  tagRuleEdit: 'administrator',
  sessionPlay: 'administrator',
  sessionClose: 'administrator',
  sessionRemove: 'administrator',
  sessionUpdate: 'administrator',
  firewallCreate: 'administrator',
  firewallEdit: 'administrator',
  firewallRemove: 'administrator',
  firewallTagAdd: 'administrator',
  firewallTagUpdate: 'administrator',
  firewallTagRemove: 'administrator',
  publicKeyCreate: 'administrator',
  publicKeyEdit: 'administrator',
  publicKeyRemove: 'administrator',
  publicKeyTagAdd: 'administrator',
  publicKeyTagUpdate: 'administrator',
  publicKeyTagRemove: 'administrator',
  namespaceUpdate: 'administrator',
  auditRead: 'administrator',
  namespaceAddMember: 'administrator',
  namespaceEditMember: 'administrator',
  namespaceRemoveMember: 'administrator',
  namespaceEnableSessionRecord: 'administrator',
  apiKeyCreate: 'administrator',
  apiKeyUpdate: 'administrator',
  apiKeyDelete: 'administrator',
  installKeyCreate: 'administrator',
  installKeyDelete: 'administrator',
  agentUpdate: 'administrator',
  connectorSet: 'administrator',
  connectorUpdate: 'administrator',
  connectorDelete: 'administrator',
  tunnelCreate: 'administrator',
  tunnelDelete: 'administrator',
  namespaceDelete: 'owner',
  namespaceExport: 'owner',
  billingCreateCustomer: 'owner',
  billingChooseDevices: 'owner',
  billingAddPaymentMethod: 'owner',
  billingUpdatePaymentMethod: 'owner',
  billingRemovePaymentMethod: 'owner',
  billingCreateSubscription: 'owner',
  billingGetSubscription: 'owner',
}

describe('permissions', () => {
  it.each(Object.entries(LOWEST))('%s requires at least the role %s', (permission, lowest) => {
    const allowed = ROLES.filter((role) => roleMay(role, permission as keyof typeof PERMISSIONS))
    expect(allowed).toEqual(ROLES.slice(rank(lowest)))
  })

  it('lists every permission in this table', () => {
    expect(Object.keys(PERMISSIONS).toSorted()).toEqual(Object.keys(LOWEST).toSorted())
  })
})

describe('the roles of a namespace', () => {
  it('have nothing that an administrator does not have, nor what decides who gets in', () => {
    const grantable: readonly string[] = [...GRANTABLE.devices, ...GRANTABLE.namespace]
    expect(grantable.filter((permission) => !roleMay('administrator', permission as keyof typeof PERMISSIONS))).toEqual(
      [],
    )
    expect(
      grantable.filter((permission) => /member|apiKey|firewall|publicKey|import|security|billing/i.test(permission)),
    ).toEqual([])
  })

  it('give a permission everywhere, or by tags', () => {
    const grants = [
      { permissions: ['sessionPlay'], tags: ['lab', 'shop'] },
      { permissions: ['sessionPlay', 'sessionClose'], tags: ['lab'] },
      { permissions: ['auditRead'], tags: null },
    ]
    expect([grantsGive(grants, 'auditRead'), grantsGive(grants, 'sessionPlay'), grantsGive([], 'auditRead')]).toEqual([
      true,
      false,
      false,
    ])
    expect([tagsGiving(grants, 'sessionPlay'), tagsGiving(grants, 'auditRead')]).toEqual([['lab', 'shop'], []])
  })
})

describe('roles', () => {
  it('ranks roles from observer to owner', () => {
    expect(ROLES.map(rank)).toEqual([0, 1, 2, 3])
    expect([ROLES[0], ROLES[3]]).toEqual(['observer', 'owner'])
  })

  it('allows acting on and granting the own rank and below, never the owner', () => {
    const table = ROLES.map((actor) => ROLES.filter((target) => hasAuthorityOver(actor, target)))
    expect(table).toEqual([
      ['observer'],
      ['observer', 'operator'],
      ['observer', 'operator', 'administrator'],
      ['observer', 'operator', 'administrator'],
    ])
  })
})
