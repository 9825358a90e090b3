import { DeviceUid, TenantId } from '@bowline/contract/schemas/common'
import { describe, expect, it } from 'vitest'
import type { LoginTarget } from '../../devices/presence.ts'
import { createSessionBudget } from './session-budget.ts'

const target = (device: string, tenant = '1'): LoginTarget => ({
  uid: DeviceUid.parse(device.repeat(64)),
  tenant: TenantId.parse(`${tenant.repeat(8)}-1111-4111-8111-111111111111`),
  name: 'pi',
  namespace: 'dev',
  status: 'accepted',
  tags: [],
  announcement: '',
  endsDisallowed: true,
  joining: true,
  takesRequests: true,
  forwarding: 'allowed',
  recording: 'off',
  factorHours: null,
  servicesNeedNoFactor: false,
  lapsed: false,
  disabled: false,
  node: '',
  epoch: 0,
})

describe('session budget', () => {
  it('limits sessions per account and device', () => {
    const budget = createSessionBudget({ perNode: 9, perNamespace: 9, perAccount: 1 })
    expect(budget.take(target('a'), 'root')).toBeDefined()
    expect(budget.take(target('a'), 'root')).toBeUndefined()
    expect(budget.take(target('a'), 'pi')).toBeDefined()
    expect(budget.take(target('b'), 'root')).toBeDefined()
  })

  it('limits sessions per namespace over all devices', () => {
    const budget = createSessionBudget({ perNode: 9, perNamespace: 2, perAccount: 9 })
    budget.take(target('a'), 'root')
    budget.take(target('b'), 'root')
    expect(budget.take(target('c'), 'root')).toBeUndefined()
    expect(budget.take(target('c', '2'), 'root')).toBeDefined()
  })

  it('limits sessions per node, and a refused one holds no place', () => {
    const budget = createSessionBudget({ perNode: 1, perNamespace: 9, perAccount: 9 })
    const release = budget.take(target('a'), 'root')
    expect(budget.take(target('a', '2'), 'root')).toBeUndefined()
    release?.()
    release?.()
    expect(budget.take(target('a', '2'), 'root')).toBeDefined()
    expect(budget.take(target('a'), 'root')).toBeUndefined()
  })
})
