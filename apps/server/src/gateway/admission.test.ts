import { describe, expect, it } from 'vitest'
import { systemClock } from '../platform/clock.ts'
import { type Admitted, type AdmissionLimits, type Refusal, createAdmission } from './admission.ts'

const limits: AdmissionLimits = {
  ratePerSource: 10,
  unauthenticatedPerSource: 10,
  unauthenticatedTotal: 500,
  earlyDropFrom: 100,
  connectionsPerSource: 50,
  connectionsTotal: 5_000,
  exempt: () => false,
}

function setUp(change: Partial<AdmissionLimits> = {}, random = () => 1) {
  let now = 0
  const admission = createAdmission({ ...limits, ...change }, { ...systemClock, now: () => now }, random)
  return { admission, pass: (seconds: number) => (now += seconds * 1_000) }
}

function admitted(answer: Admitted | Refusal): Admitted {
  if (typeof answer === 'string') throw new Error(`refused: ${answer}`)
  return answer
}

describe('admission', () => {
  it('allows a burst of twice the rate, then the rate', () => {
    const { admission, pass } = setUp({ unauthenticatedPerSource: 100 })
    for (let i = 0; i < 20; i += 1) admitted(admission.admit('192.0.2.1'))
    expect(admission.admit('192.0.2.1')).toBe('rate')
    admitted(admission.admit('192.0.2.2'))
    pass(1)
    for (let i = 0; i < 10; i += 1) admitted(admission.admit('192.0.2.1'))
    expect(admission.admit('192.0.2.1')).toBe('rate')
  })

  it('counts unauthenticated connections of a source until they sign in or end', () => {
    const { admission } = setUp()
    const all = Array.from({ length: 10 }, () => admitted(admission.admit('192.0.2.1')))
    expect(admission.admit('192.0.2.1')).toBe('too-many-unauthenticated')
    all[0]?.authenticated()
    all[1]?.release()
    admitted(admission.admit('192.0.2.1'))
    admitted(admission.admit('192.0.2.1'))
    expect(admission.admit('192.0.2.1')).toBe('too-many-unauthenticated')
  })

  it('takes a /64 of IPv6 as one source', () => {
    const { admission } = setUp()
    for (let i = 0; i < 10; i += 1) admitted(admission.admit(`2001:db8::${i + 1}`))
    expect(admission.admit('2001:db8:0:0:ffff::1')).toBe('too-many-unauthenticated')
    admitted(admission.admit('2001:db8:0:1::1'))
  })

  it('enforces penalties once they add up to the floor, and forgets served ones', () => {
    const { admission, pass } = setUp()
    const one = admitted(admission.admit('192.0.2.1'))
    one.offend('auth-failed')
    one.offend('auth-failed')
    admitted(admission.admit('192.0.2.1'))
    one.offend('auth-failed')
    expect(admission.admit('192.0.2.1')).toBe('penalty')
    pass(16)
    admitted(admission.admit('192.0.2.1'))
  })

  it('does not let penalties grow past ten minutes', () => {
    const { admission, pass } = setUp()
    const one = admitted(admission.admit('192.0.2.1'))
    for (let i = 0; i < 100; i += 1) one.offend('abuse')
    pass(584)
    expect(admission.admit('192.0.2.1')).toBe('penalty')
    pass(2)
    admitted(admission.admit('192.0.2.1'))
  })

  it('drops at random above the threshold and always at the total', () => {
    const unlucky = setUp({ earlyDropFrom: 2, unauthenticatedTotal: 4 }, () => 0.29)
    admitted(unlucky.admission.admit('192.0.2.1'))
    admitted(unlucky.admission.admit('192.0.2.2'))
    expect(unlucky.admission.admit('192.0.2.3')).toBe('early-drop')
    const lucky = setUp({ earlyDropFrom: 2, unauthenticatedTotal: 4 }, () => 0.99)
    for (let i = 1; i <= 4; i += 1) admitted(lucky.admission.admit(`192.0.2.${i}`))
    expect(lucky.admission.admit('192.0.2.5')).toBe('early-drop')
  })

  it('drops strangers only: a source that signed in within a day comes in, within its own limits', () => {
    const { admission } = setUp({ earlyDropFrom: 2, unauthenticatedTotal: 4 }, () => 0)
    const known = admitted(admission.admit('192.0.2.1'))
    known.authenticated()
    known.release()
    for (let i = 2; i <= 3; i += 1) admitted(admission.admit(`192.0.2.${i}`))
    expect(admission.admit('192.0.2.9')).toBe('early-drop')
    for (let i = 0; i < 10; i += 1) admitted(admission.admit('192.0.2.1'))
    expect(admission.admit('192.0.2.1')).toBe('too-many-unauthenticated')
  })

  it('forgets after a day that a source has signed in', () => {
    const { admission, pass } = setUp({ earlyDropFrom: 1, unauthenticatedTotal: 4 }, () => 0)
    const known = admitted(admission.admit('192.0.2.1'))
    known.authenticated()
    known.release()
    admitted(admission.admit('192.0.2.2'))
    pass(86_399)
    admitted(admission.admit('192.0.2.1')).release()
    pass(1)
    expect(admission.admit('192.0.2.1')).toBe('early-drop')
  })

  it('lets exempt sources pass their own limits, not those of the node', () => {
    const { admission } = setUp({ exempt: (address) => address === '127.0.0.1', connectionsTotal: 40 })
    for (let i = 0; i < 40; i += 1) admitted(admission.admit('127.0.0.1'))
    expect(admission.admit('127.0.0.1')).toBe('too-many-connections')
  })

  it('releases once, however often it is told', () => {
    const { admission } = setUp()
    const one = admitted(admission.admit('192.0.2.1'))
    one.release()
    one.release()
    expect(admission.counts).toEqual({ connections: 0, unauthenticated: 0 })
  })
})
