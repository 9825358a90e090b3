import { describe, expect, it } from 'vitest'
import { systemClock } from '@bowline/base/clock'
import { type Admitted, type AdmissionLimits, type Refusal, createAdmission } from './admission.ts'

const limits: AdmissionLimits = {
  ratePerSource: 20,
  rateTotal: 200,
  unauthenticatedPerSource: { start: 100, rate: 0.3, full: 200 },
  unauthenticatedTotal: { start: 500, rate: 0.3, full: 1_000 },
  connectionsTotal: 5_000,
  exempt: () => false,
}
/** Never dropped by chance, only where all are dropped. */
const LUCKY = () => 0.999
const UNLUCKY = () => 0

function setUp(change: Partial<AdmissionLimits> = {}, random = LUCKY) {
  let now = 0
  const admission = createAdmission(
    { ...limits, ...change },
    { ...systemClock, now: () => now, monotonic: () => now },
    random,
  )
  return { admission, pass: (seconds: number) => (now += seconds * 1_000) }
}

function admitted(answer: Admitted | Refusal): Admitted {
  if (typeof answer === 'string') throw new Error(`refused: ${answer}`)
  return answer
}

/** Distinct addresses. */
const unknownSource = (nr: number): string => `198.51.${100 + Math.floor(nr / 250)}.${nr % 250}`

describe('one source with many clients', () => {
  it('allows any number of authenticated connections of a source', () => {
    const { admission } = setUp({}, UNLUCKY)
    for (let held = 0; held < 1_000; held += 1) admitted(admission.admit('192.0.2.1')).authenticated()
    expect(admission.counts).toEqual({ connections: 1_000, unauthenticated: 0 })
  })

  it('allows a hundred concurrent unauthenticated connections of a source', () => {
    const { admission } = setUp({}, UNLUCKY)
    for (let begun = 0; begun < 100; begun += 1) admission.admit('192.0.2.1')
    expect(admission.counts.connections).toBe(100)
  })

  it('allows an endless series of short connections, twenty at a time', () => {
    const { admission } = setUp({}, UNLUCKY)
    for (let round = 0; round < 200; round += 1) {
      const batch = Array.from({ length: 20 }, () => admitted(admission.admit('192.0.2.1')))
      expect(admission.counts.connections).toBe(20)
      for (const one of batch) {
        one.authenticated()
        one.release()
      }
    }
  })

  it('tolerates wrong passwords from a source with a recent login, up to a limit', () => {
    const { admission } = setUp()
    admitted(admission.admit('192.0.2.1')).authenticated()
    for (let failed = 0; failed < 60; failed += 1) {
      const one = admitted(admission.admit('192.0.2.1'))
      one.offend('auth-failed')
      one.release()
    }
    admitted(admission.admit('192.0.2.1')).offend('auth-failed')
    expect(admission.admit('192.0.2.1')).toBe('penalty')
  })
})

describe('unauthenticated connections of a source', () => {
  it('drops unauthenticated connections randomly from the start of the curve and always at its end', () => {
    const curve = { start: 2, rate: 0.3, full: 4 }
    const unlucky = setUp({ unauthenticatedPerSource: curve }, () => 0.29).admission
    for (let held = 0; held < 2; held += 1) admitted(unlucky.admit('192.0.2.1'))
    expect(unlucky.admit('192.0.2.1')).toBe('too-many-unauthenticated')
    const lucky = setUp({ unauthenticatedPerSource: curve }).admission
    const all = Array.from({ length: 4 }, () => admitted(lucky.admit('192.0.2.1')))
    expect(lucky.admit('192.0.2.1')).toBe('too-many-unauthenticated')
    all[0]?.authenticated()
    all[1]?.release()
    for (let held = 0; held < 2; held += 1) admitted(lucky.admit('192.0.2.1'))
    expect(lucky.admit('192.0.2.1')).toBe('too-many-unauthenticated')
  })

  it('allows a burst of ten seconds, then limits the rate of a source', () => {
    const { admission, pass } = setUp({ ratePerSource: 1 })
    for (let begun = 0; begun < 10; begun += 1) admitted(admission.admit('192.0.2.1')).release()
    expect(admission.admit('192.0.2.1')).toBe('rate')
    admitted(admission.admit('192.0.2.2'))
    pass(1)
    admitted(admission.admit('192.0.2.1'))
    expect(admission.admit('192.0.2.1')).toBe('rate')
  })

  it('counts an IPv6 /64 as one source', () => {
    const { admission } = setUp({ unauthenticatedPerSource: { start: 1, rate: 1, full: 1 } })
    admitted(admission.admit('2001:db8::1'))
    expect(admission.admit('2001:db8:0:0:ffff::1')).toBe('too-many-unauthenticated')
    admitted(admission.admit('2001:db8:0:1::1'))
  })

  it('exempts sources from source limits but not from the total', () => {
    const { admission } = setUp({ exempt: (address) => address === '127.0.0.1', connectionsTotal: 400 })
    for (let begun = 0; begun < 400; begun += 1) admitted(admission.admit('127.0.0.1'))
    expect(admission.admit('127.0.0.1')).toBe('too-many-connections')
  })
})

describe('floods of handshakes', () => {
  it('drops a flood from few sources before the shared budget is used up', () => {
    const { admission } = setUp({ ratePerSource: 20, rateTotal: 40 }, () => 0.5)
    let dropped = 0
    for (let begun = 0; begun < 1_000; begun += 1) {
      const one = admission.admit(unknownSource(begun % 4))
      if (typeof one === 'string') dropped += 1
      else one.release()
    }
    expect(dropped).toBeGreaterThan(600)
    for (let nr = 100; nr < 110; nr += 1) admitted(admission.admit(unknownSource(nr)))
  })

  it('reserves room for known sources in a flood from many sources', () => {
    const { admission } = setUp({ rateTotal: 1 })
    admitted(admission.admit('192.0.2.1')).authenticated()
    const begun = Array.from({ length: 40 }, (_, nr) => admission.admit(unknownSource(nr)))
    expect(begun.filter((one) => one === 'early-drop').length).toBeGreaterThanOrEqual(30)
    for (let nr = 0; nr < 50; nr += 1) admitted(admission.admit('192.0.2.1'))
  })

  it('admits a known source for a day when slow unknown ones fill the limit', () => {
    const { admission, pass } = setUp({ unauthenticatedTotal: { start: 2, rate: 0.3, full: 4 } }, UNLUCKY)
    const known = admitted(admission.admit('192.0.2.1'))
    known.authenticated()
    known.release()
    for (let nr = 2; nr <= 3; nr += 1) admitted(admission.admit(unknownSource(nr)))
    expect(admission.admit(unknownSource(9))).toBe('early-drop')
    pass(86_399)
    admitted(admission.admit('192.0.2.1')).release()
    pass(1)
    expect(admission.admit('192.0.2.1')).toBe('early-drop')
  })
})

describe('penalties', () => {
  it('refuses a source for a while from the fourth failed connection on', () => {
    const { admission, pass } = setUp()
    for (let failed = 0; failed < 4; failed += 1) {
      const one = admitted(admission.admit('192.0.2.1'))
      one.offend('auth-failed')
      one.release()
    }
    expect(admission.admit('192.0.2.1')).toBe('penalty')
    pass(5)
    admitted(admission.admit('192.0.2.1'))
  })

  it('caps penalties at ten minutes', () => {
    const { admission, pass } = setUp()
    const one = admitted(admission.admit('192.0.2.1'))
    for (let count = 0; count < 100; count += 1) one.offend('abuse')
    pass(584)
    expect(admission.admit('192.0.2.1')).toBe('penalty')
    pass(1)
    admitted(admission.admit('192.0.2.1'))
  })
})

describe('releasing a connection', () => {
  it('releases a connection once even if released twice', () => {
    const { admission } = setUp()
    const one = admitted(admission.admit('192.0.2.1'))
    one.release()
    one.release()
    one.authenticated()
    expect(admission.counts).toEqual({ connections: 0, unauthenticated: 0 })
  })
})
