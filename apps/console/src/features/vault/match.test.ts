import { describe, expect, it } from 'vitest'
import { chooseKey, fitOf } from './match.ts'

const login = { username: 'root', device: { name: 'attic.pi', tags: ['garden'] } }
const registered = (change: object = {}) => ({
  username: '.*',
  filter: { hostname: '.*' },
  disabled: false,
  fingerprint_sha256: 'SHA256:a',
  ...change,
})

describe('how a registered key fits a login', () => {
  it.each([
    [{}, 'yes'],
    [{ disabled: true }, 'no'],
    [{ username: '' }, 'yes'],
    [{ username: 'root' }, 'yes'],
    [{ username: '^root$' }, 'yes'],
    [{ username: 'roo' }, 'no'],
    [{ username: 'root|ada' }, 'maybe'],
    [{ username: 'ro+t' }, 'maybe'],
    [{ filter: { hostname: String.raw`attic\.pi` } }, 'yes'],
    [{ filter: { hostname: String.raw`cellar\.pi` } }, 'no'],
    [{ filter: { hostname: 'attic.pi' } }, 'maybe'],
    [{ filter: { tags: ['cellar', 'garden'] } }, 'yes'],
    [{ filter: { tags: ['cellar'] } }, 'no'],
    [{ username: 'ada', filter: { hostname: 'attic.*' } }, 'no'],
  ])('%j: %s', (change, fit) => {
    expect(fitOf(registered(change), login)).toBe(fit)
  })
})

describe('the key for a login', () => {
  const own = ['a', 'b', 'c'].map((id) => ({ id, fingerprint: `SHA256:${id}` }))
  const known = (id: string, change: object = {}) => registered({ fingerprint_sha256: `SHA256:${id}`, ...change })
  const choose = (all: ReturnType<typeof registered>[], last?: string) => chooseKey(own, all, login, last)?.id

  it('is one that surely fits rather than one that may', () => {
    expect(choose([known('a', { username: 'r.*' }), known('b')])).toBe('b')
    expect(choose([known('a', { username: 'r.*' })])).toBe('a')
  })

  it('is the last one used on the device while it fits', () => {
    expect(choose([known('a'), known('b'), known('c')], 'c')).toBe('c')
    expect(choose([known('a'), known('c', { disabled: true })], 'c')).toBe('a')
  })

  it('is none when none is registered for it', () => {
    expect(choose([])).toBeUndefined()
    expect(choose([known('d'), known('a', { username: 'ada' })])).toBeUndefined()
  })
})
