import * as fc from 'fast-check'
import { UserId } from '@bowline/contract/schemas/common'
import { describe, expect, it } from 'vitest'
import { type Attempt, type FirewallRule, evaluate } from './rules.ts'

const attempt: Attempt = { address: '192.0.2.7', user: 'root', device: { name: 'pi-lab', tags: ['lab'] } }
const rule = (change: Partial<FirewallRule>): FirewallRule => ({
  id: 1,
  action: 'deny',
  active: true,
  priority: 1,
  source_ip: '.*',
  source_networks: [],
  username: '.*',
  people: [],
  roles: [],
  hostname: '.*',
  tags: null,
  ...change,
})

describe('firewall', () => {
  it('allows connections without any rule', () => {
    expect(evaluate([], attempt)).toEqual({ allow: true, rule: undefined })
  })

  it('applies the matching rule with the highest priority', () => {
    const rules = [rule({ id: 1, priority: 1 }), rule({ id: 2, priority: 9, action: 'allow' })]
    expect(evaluate(rules, attempt)).toEqual({ allow: true, rule: 2 })
    expect(evaluate([...rules, rule({ id: 3, priority: 99, username: 'anna' })], attempt).rule).toBe(2)
  })

  it('applies the newest rule of equal priority', () => {
    expect(evaluate([rule({ id: 4 }), rule({ id: 7, action: 'allow' }), rule({ id: 5 })], attempt).rule).toBe(7)
  })

  it('ignores inactive rules', () => {
    expect(evaluate([rule({ active: false })], attempt).allow).toBe(true)
  })

  it.each([
    [{ source_ip: String.raw`^192\.0\.2\.` }, true],
    [{ source_ip: '^10' }, false],
    [{ username: '^root$' }, true],
    [{ username: '^(anna|bob)$' }, false],
    [{ hostname: 'lab' }, true],
    [{ hostname: '^lab' }, false],
    [{ hostname: null, tags: ['lab', 'attic'] }, true],
    [{ hostname: null, tags: ['attic'] }, false],
  ])('matches a rule with %o: %s', (change, matched) => {
    expect(evaluate([rule(change)], attempt).allow).toBe(!matched)
  })

  it('fails closed on a pattern that cannot be compiled', () => {
    expect(evaluate([rule({ username: '(' })], attempt)).toEqual({ allow: false, rule: 1 })
    expect(evaluate([rule({ action: 'allow', username: '(' })], attempt)).toEqual({ allow: true, rule: undefined })
  })

  it.each([
    [['192.0.2.0/24'], '192.0.2.7', true],
    [['192.0.2.7/32'], '192.0.2.7', true],
    [['10.0.0.0/8'], '192.0.2.7', false],
    [['10.0.0.0/8', '2001:db8::/32'], '2001:db8::7', true],
    [['0.0.0.0/0'], '2001:db8::7', false],
    [['::/0'], '192.0.2.7', false],
    [['192.0.2.0/24'], '::ffff:192.0.2.7', true],
  ])('a rule for the networks %j and the address %s: it matches is %s', (source_networks, address, isMatch) => {
    expect(evaluate([rule({ source_networks })], { ...attempt, address }).allow).toBe(!isMatch)
    expect(evaluate([rule({ source_networks, username: '^anna$' })], { ...attempt, address }).allow).toBe(true)
  })

  it('fails closed for a network or an address that cannot be read: deny matches, allow does not', () => {
    for (const [network, address] of [
      ['nowhere', '192.0.2.7'],
      ['10.0.0.0/8', 'nowhere'],
    ] as const) {
      const decide = (action: 'allow' | 'deny') =>
        evaluate([rule({ action, source_networks: [network] })], { ...attempt, address })
      expect([decide('deny').allow, decide('allow').rule]).toEqual([false, undefined])
    }
  })

  const anna = { id: UserId.parse('anna'), role: 'operator' as const }

  it.each([
    [{ people: [anna.id] }, true],
    [{ people: [UserId.parse('bert')] }, false],
    [{ roles: ['operator' as const] }, true],
    [{ roles: ['owner' as const] }, false],
    [{ people: [UserId.parse('bert')], roles: ['operator' as const] }, true],
    [{ people: [anna.id], username: '^anna$' }, false],
  ])('a rule about %j: it matches an operator named anna is %s', (change, isMatch) => {
    expect(evaluate([rule(change)], { ...attempt, person: anna }).allow).toBe(!isMatch)
  })

  it('matches nobody unknown by a rule about people, whatever it does', () => {
    for (const about of [{ people: [anna.id] }, { roles: ['operator' as const] }]) {
      expect(evaluate([rule({ ...about, id: 2, priority: 2 }), rule({ id: 1 })], attempt).rule).toBe(1)
      expect(evaluate([rule({ ...about, action: 'allow' })], attempt).rule).toBe(undefined)
    }
  })

  it('evaluates rules independently of their input order', () => {
    const rules = fc.uniqueArray(
      fc.record({
        id: fc.nat(30),
        action: fc.constantFrom('allow' as const, 'deny' as const),
        active: fc.boolean(),
        priority: fc.nat(3),
        source_ip: fc.constantFrom('.*', '^10', '^192'),
        source_networks: fc.constantFrom([], ['192.0.2.0/24'], ['10.0.0.0/8']),
        username: fc.constantFrom('.*', 'root', 'anna'),
        people: fc.constantFrom([], [UserId.parse('anna')]),
        roles: fc.constantFrom([], ['operator' as const]),
        hostname: fc.constantFrom('.*', 'lab'),
        tags: fc.constant(null),
      }),
      { selector: ({ id }) => id },
    )
    fc.assert(
      fc.property(rules, (given) => {
        const expected = evaluate(given, attempt)
        expect(evaluate(given.toReversed(), attempt)).toEqual(expected)
      }),
    )
  })
})
