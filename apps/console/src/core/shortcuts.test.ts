import type { Role } from '@bowline/contract/roles'
import type { Person } from '../auth/session.ts'
import { describe, expect, it } from 'vitest'
import { sectionGroups } from './sections.ts'
import { type Shortcut, createMatcher } from './shortcuts.ts'

const shortcut = (...keys: string[]): Shortcut => {
  const name = keys.join(' ')
  return { id: name, usual: keys, keys, label: name, run: () => {} }
}
const SHORTCUTS = [shortcut('g', 'd'), shortcut('?'), shortcut('mod+k')]
const plain = { ctrlKey: false, metaKey: false, altKey: false }

function setUp() {
  let time = 0
  const match = createMatcher(() => time)
  return {
    wait: (milliseconds: number) => (time += milliseconds),
    press: (key: string, modifiers: object = {}, typing = false) =>
      match({ key, ...plain, ...modifiers }, SHORTCUTS, typing)?.label,
  }
}

describe('shortcuts', () => {
  it('matches the keys of a shortcut typed in order', () => {
    const { press } = setUp()
    expect([press('g'), press('d'), press('d'), press('?')]).toEqual([undefined, 'g d', undefined, '?'])
  })

  it('starts over after a wrong key and after a pause', () => {
    const { press, wait } = setUp()
    expect([press('g'), press('x'), press('d')]).toEqual([undefined, undefined, undefined])
    press('g')
    wait(5_000)
    expect(press('d')).toBeUndefined()
  })

  it('ignores keys in text fields, except those with a modifier', () => {
    const { press } = setUp()
    expect([press('?', {}, true), press('k', { ctrlKey: true }, true), press('K', { metaKey: true })]).toEqual([
      undefined,
      'mod+k',
      'mod+k',
    ])
  })

  it('leaves the browser’s own shortcuts alone', () => {
    const { press } = setUp()
    expect([press('d', { ctrlKey: true }), press('k', { ctrlKey: true, altKey: true })]).toEqual([undefined, undefined])
  })
})

it('leaves out sections that would refuse the person', () => {
  const audit = { permissions: ['auditRead'], tags: null }
  const shown = (role: Role, grants: Person['grants']) =>
    sectionGroups({ instance_admin: false, role, grants }).flatMap(({ sections }) => sections.map(({ to }) => to))
  expect(shown('observer', [])).not.toContain('/audit')
  expect(shown('observer', [])).not.toContain('/alerts')
  expect(shown('observer', [])).toContain('/settings')
  expect(shown('observer', [audit])).toContain('/audit')
  expect(shown('administrator', [])).toEqual(expect.arrayContaining(['/audit', '/alerts']))
})

it('goes to every section by a key of its own', () => {
  const keys = sectionGroups({ instance_admin: true, role: 'owner', grants: [] }).flatMap(({ sections }) =>
    sections.map(({ key }) => key),
  )
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])
})
