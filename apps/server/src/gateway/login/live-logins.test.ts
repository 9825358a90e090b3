import { DeviceUid, TenantId, UserId } from '@bowline/contract/schemas/common'
import { describe, expect, it } from 'vitest'
import type { TenantContext } from '../../context.ts'
import type { ForwardingPolicy, LoginTarget } from '../../devices/presence.ts'
import type { Connecting } from '../../firewall/rules.ts'
import { silentLog } from '../../platform/log.ts'
import { ManualClock } from '@bowline/base/testing/manual-clock'
import type { SessionCause } from '../../sessions/service.ts'
import { createLiveLogins } from './live-logins.ts'

const TENANT = TenantId.parse('00000000-0000-4000-8000-000000000001')
const OTHER = TenantId.parse('00000000-0000-4000-8000-000000000002')
const DEVICE = DeviceUid.parse('d'.repeat(64))
const SECOND = DeviceUid.parse('e'.repeat(64))
const KEY = Uint8Array.of(1, 2, 3)

/** A namespace whose policy the test changes. */
function setUp() {
  const policy = {
    endsDisallowed: true,
    status: 'accepted' as LoginTarget['status'],
    removed: false,
    denies: (attempt: Connecting): boolean => attempt.user === 'nobody',
    keys: true,
    ownerLeft: false,
    personLeft: false,
    forwarding: 'allowed' as ForwardingPolicy,
    failures: 0,
    asked: [] as DeviceUid[],
  }
  const clock = new ManualClock()
  const live = createLiveLogins({
    clock,
    log: silentLog,
    async resolve({ uid }) {
      policy.asked.push(uid)
      if (policy.failures > 0) {
        policy.failures -= 1
        throw new Error('the database is away')
      }
      const { status, endsDisallowed, forwarding } = policy
      if (policy.removed) return undefined
      const names = { name: 'device', namespace: 'dev', announcement: '' }
      return {
        uid,
        tenant: TENANT,
        tags: ['rack'],
        status,
        endsDisallowed,
        forwarding,
        recording: 'off',
        joining: true,
        takesRequests: true,
        factorHours: null,
        servicesNeedNoFactor: false,
        lapsed: false,
        disabled: false,
        node: '',
        epoch: 0,
        ...names,
      }
    },
    contextOf: () => ({}) as TenantContext,
    firewall: async () => async (connecting) => ({ allow: !policy.denies(connecting), rule: 7 }),
    keyMayLogIn: async () => policy.keys,
    keyIsDisabled: async () => policy.ownerLeft,
    isMember: async () => !policy.personLeft,
    findLeavers: async () => (policy.personLeft ? [TENANT] : []),
  })
  const ended: [string, SessionCause][] = []
  const add = (
    name: string,
    change: {
      tenant?: TenantId
      device?: DeviceUid
      key?: Uint8Array
      person?: UserId
      subject?: UserId
      since?: number
      forwards?: boolean
    } = {},
  ) => {
    const { tenant = TENANT, device = DEVICE, key, person, subject, since = live.changes, forwards = false } = change
    const end = (cause: SessionCause): void => void ended.push([name, cause])
    const forwarding = { policy: 'allowed' as ForwardingPolicy, used: forwards }
    const address = '192.0.2.1'
    const who = { user: name, address, key, person, subject, takesGrants: true }
    const over = live.add({ tenant, device, ...who, forwarding, end }, since)
    return { over, forwarding }
  }
  return { policy, clock, live, add, ended, reasons: () => ended.map(([name, { reason }]) => `${name} ${reason}`) }
}

/** Runs the continuations of settled promises. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('policy changes', () => {
  it('evaluates a login for the person who is known behind it', async () => {
    const { policy, live, add, reasons } = setUp()
    add('anna', { subject: UserId.parse('anna') })
    add('somebody')
    policy.denies = ({ person }) => person === 'anna'
    live.review(TENANT)
    await settle()
    expect(reasons()).toEqual(['anna firewall'])
  })

  it('ends logins that a rule now refuses, and names the rule', async () => {
    const { policy, live, add, ended } = setUp()
    add('root')
    add('ann')
    policy.denies = ({ user, device }) => user === 'root' && device.tags.includes('rack')
    live.review(TENANT)
    await settle()
    expect(ended).toEqual([
      ['root', { by: 'policy', reason: 'firewall', message: 'Firewall rule 7 refuses the connection.' }],
    ])
  })

  it('ends logins by a key that is no longer allowed, but not by password', async () => {
    const { policy, live, add, reasons } = setUp()
    add('by key', { key: KEY })
    add('by password')
    policy.keys = false
    live.review(TENANT)
    await settle()
    expect(reasons()).toEqual(['by key public-key'])
  })

  it.each<[string, { removed?: boolean; status?: 'rejected' }]>([
    ['removed', { removed: true }],
    ['no longer accepted', { status: 'rejected' }],
  ])('ends logins on a device that is %s', async (_, change) => {
    const { policy, live, add, reasons } = setUp()
    add('root')
    Object.assign(policy, change)
    live.review(TENANT, DEVICE)
    await settle()
    expect(reasons()).toEqual(['root device'])
  })

  it('ends forwarding logins when forwarding is disabled and denies it to others', async () => {
    const { policy, live, add, reasons } = setUp()
    add('tunnel', { forwards: true })
    const shell = add('shell')
    policy.forwarding = 'off'
    live.review(TENANT)
    await settle()
    expect(reasons()).toEqual(['tunnel forwarding'])
    expect(shell.forwarding).toEqual({ policy: 'off', used: false })
  })

  it.each([true, false])(
    'ends logins of former members, for both settings of end_disallowed_sessions (%s)',
    async (ends) => {
      const { policy, live, add, reasons } = setUp()
      policy.endsDisallowed = ends
      add('in a browser', { person: UserId.parse('ann') })
      add('by key', { key: KEY })
      add('by password')
      await settle()
      expect(reasons()).toEqual([])
      Object.assign(policy, { ownerLeft: true, personLeft: true })
      await live.reviewLeavers()
      await settle()
      expect(reasons()).toEqual(['in a browser member-removed', 'by key member-removed'])
    },
  )

  it('keeps logins when the namespace lets running sessions continue', async () => {
    const { policy, live, add, ended } = setUp()
    add('root', { key: KEY })
    Object.assign(policy, { endsDisallowed: false, keys: false, denies: () => true })
    live.review(TENANT)
    await settle()
    expect(ended).toEqual([])
    policy.endsDisallowed = true
    live.review(TENANT)
    await settle()
    expect(ended).toHaveLength(1)
  })

  it('reviews only the changed namespace or device', async () => {
    const { policy, live, add, reasons } = setUp()
    add('here')
    add('beside', { device: SECOND })
    add('elsewhere', { tenant: OTHER })
    policy.denies = () => true
    live.review(TENANT, SECOND)
    await settle()
    expect([reasons(), policy.asked]).toEqual([['beside firewall'], [SECOND]])
  })

  it('applies a policy change that arrives during a login', async () => {
    const { policy, live, add, reasons } = setUp()
    const since = live.changes
    policy.denies = () => true
    live.review(TENANT)
    add('late', { since })
    await settle()
    expect(reasons()).toEqual(['late firewall'])
  })

  it('retries a review when the database does not answer', async () => {
    const { policy, live, clock, add, reasons } = setUp()
    add('root')
    policy.denies = () => true
    policy.failures = 2
    live.review(TENANT, DEVICE)
    for (let second = 0; second < 2; second += 1) {
      await settle()
      expect(reasons()).toEqual([])
      clock.advance(1_000)
    }
    await settle()
    expect(reasons()).toEqual(['root firewall'])
  })

  it('ignores logins that have ended', async () => {
    const { policy, live, add, ended } = setUp()
    const { over } = add('root')
    over()
    policy.denies = () => true
    live.review(TENANT)
    await settle()
    expect([ended, policy.asked]).toEqual([[], []])
  })
})
