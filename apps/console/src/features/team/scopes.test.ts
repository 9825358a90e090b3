import { SCOPES } from '@bowline/contract/scopes'
import { expect, it } from 'vitest'
import { knownScopes, scopeChoices, scopeNames, scopesAfter } from './scopes.ts'

it('has a name for each scope', () => {
  expect(scopeNames(SCOPES)).not.toContain('')
  expect(new Set(scopeNames(SCOPES)).size).toBe(SCOPES.length)
})

it('shows a scope of a newer server as it is written, and edits the others', () => {
  expect(scopeNames(['devices:read', 'drones:fly'])).toEqual(['Devices: read', 'drones:fly'])
  expect(knownScopes(['drones:fly', 'devices:read'])).toEqual(['devices:read'])
})

it('replaces reading an area by changing it', () => {
  expect(scopesAfter(['devices:read'], ['devices:read', 'devices:write'])).toEqual(['devices:write'])
  expect(scopeChoices(['devices:write']).map(({ value }) => value)).not.toContain('devices:read')
  expect(scopeChoices([]).map(({ value }) => value)).toContain('devices:read')
})

it('leaves the others when one is removed', () => {
  expect(scopesAfter(['devices:read', 'audit:read'], ['audit:read'])).toEqual(['audit:read'])
})
