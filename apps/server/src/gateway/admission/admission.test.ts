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
/** Never dropped by chance, only where everybody is. */
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

/** Addresses that differ. */
const stranger = (nr: number): string => `198.51.${100 + Math.floor(nr / 250)}.${nr % 250}`

describe('an office behind one address', () => {
  it('holds any number of connections that have signed in', () => {
    const { admission } = setUp({}, UNLUCKY)
    for (let held = 0; held < 1_000; held += 1) admitted(admission.admit('192.0.2.1')).authenticated()
    expect(admission.counts).toEqual({ connections: 1_000, unauthenticated: 0 })
  })

  it('begins a hundred connections at once', () => {
    const { admission } = setUp({}, UNLUCKY)
    for (let begun = 0; begun < 100; begun += 1) admission.admit('192.0.2.1')
    expect(admission.counts.connections).toBe(100)
  })

  it('makes short connections without end, twenty at a time', () => {
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

  it('goes on while somebody in it types wrong passwords, once anybody there has signed in', () => {
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

describe('connections of a source that do not sign in', () => {
  it('are dropped by chance from the start of the curve on and always at its end', () => {
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

  it('come in a burst of ten seconds, then at the rate', () => {
    const { admission, pass } = setUp({ ratePerSource: 1 })
    for (let begun = 0; begun < 10; begun += 1) admitted(admission.admit('192.0.2.1')).release()
    expect(admission.admit('192.0.2.1')).toBe('rate')
    admitted(admission.admit('192.0.2.2'))
    pass(1)
    admitted(admission.admit('192.0.2.1'))
    expect(admission.admit('192.0.2.1')).toBe('rate')
  })

  it('count a /64 of IPv6 as one source', () => {
    const { admission } = setUp({ unauthenticatedPerSource: { start: 1, rate: 1, full: 1 } })
    admitted(admission.admit('2001:db8::1'))
    expect(admission.admit('2001:db8:0:0:ffff::1')).toBe('too-many-unauthenticated')
    admitted(admission.admit('2001:db8:0:1::1'))
  })

  it('are not counted for exempt sources, but those of the server are', () => {
    const { admission } = setUp({ exempt: (address) => address === '127.0.0.1', connectionsTotal: 400 })
    for (let begun = 0; begun < 400; begun += 1) admitted(admission.admit('127.0.0.1'))
    expect(admission.admit('127.0.0.1')).toBe('too-many-connections')
  })
})

describe('a flood of handshakes', () => {
  it('from few sources is dropped before it uses up what all share, and a newcomer gets in', () => {
    const { admission } = setUp({ ratePerSource: 20, rateTotal: 40 }, () => 0.5)
    let dropped = 0
    for (let begun = 0; begun < 1_000; begun += 1) {
      const one = admission.admit(stranger(begun % 4))
      if (typeof one === 'string') dropped += 1
      else one.release()
    }
    expect(dropped).toBeGreaterThan(600)
    for (let nr = 100; nr < 110; nr += 1) admitted(admission.admit(stranger(nr)))
  })

  it('from countless sources leaves room for those from which somebody has signed in', () => {
    const { admission } = setUp({ rateTotal: 1 })
    admitted(admission.admit('192.0.2.1')).authenticated()
    const begun = Array.from({ length: 40 }, (_, nr) => admission.admit(stranger(nr)))
    expect(begun.filter((one) => one === 'early-drop').length).toBeGreaterThanOrEqual(30)
    for (let nr = 0; nr < 50; nr += 1) admitted(admission.admit('192.0.2.1'))
  })

  it('that dawdles fills the places of strangers only', () => {
    const { admission, pass } = setUp({ unauthenticatedTotal: { start: 2, rate: 0.3, full: 4 } }, UNLUCKY)
    const known = admitted(admission.admit('192.0.2.1'))
    known.authenticated()
    known.release()
    for (let nr = 2; nr <= 3; nr += 1) admitted(admission.admit(stranger(nr)))
    expect(admission.admit(stranger(9))).toBe('early-drop')
    pass(86_399)
    admitted(admission.admit('192.0.2.1')).release()
    pass(1)
    expect(admission.admit('192.0.2.1')).toBe('early-drop')
  })
})

describe('penalties', () => {
  it('of three failed connections in a row refuse nothing; of the fourth they do, for a while', () => {
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

  it('do not grow past ten minutes', () => {
    const { admission, pass } = setUp()
    const one = admitted(admission.admit('192.0.2.1'))
    for (let count = 0; count < 100; count += 1) one.offend('abuse')
    pass(584)
    expect(admission.admit('192.0.2.1')).toBe('penalty')
    pass(1)
    admitted(admission.admit('192.0.2.1'))
  })
})

describe('a connection', () => {
  it('is released once, however often that is told', () => {
    const { admission } = setUp()
    const one = admitted(admission.admit('192.0.2.1'))
    one.release()
    one.release()
    one.authenticated()
    expect(admission.counts).toEqual({ connections: 0, unauthenticated: 0 })
  })
})
