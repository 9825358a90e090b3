import { expect, it } from 'vitest'
import { allOperations } from './operations.ts'
import { SCOPES, scopeOf, scopesAllow } from './scopes.ts'

const callable = allOperations()
  .map(({ operation }) => operation)
  .filter(({ access }) => access.kind === 'member' && access.keys)

it('has a scope for each call that API keys may make', () => {
  const without = callable.filter((operation) => scopeOf(operation) === undefined)
  expect(without.map(({ method, path }) => `${method} ${path}`)).toEqual([])
})

it('has no scope without a call', () => {
  const used = new Set(callable.map((operation) => scopeOf(operation)))
  expect(SCOPES.filter((scope) => !used.has(scope))).toEqual([])
})

it.each([
  ['GET', '/api/devices', 'devices:read'],
  ['DELETE', '/api/devices/{uid}', 'devices:write'],
  ['PATCH', '/api/devices/{uid}/{status}', 'enrollment:write'],
  ['PUT', '/api/devices/{uid}/tags', 'tags:write'],
  ['POST', '/api/tag-rules/dry-run', 'tags:read'],
  ['POST', '/api/sessions/{uid}/close', 'sessions:write'],
  ['GET', '/api/sessions/{uid}/records/{seat}', 'recordings:read'],
  ['DELETE', '/api/sessions/{uid}/records/{seat}', 'recordings:write'],
  ['POST', '/api/firewall/dry-run', 'firewall:read'],
  ['POST', '/api/billing/evaluate', 'billing:read'],
  ['POST', '/api/pairings/confirm', 'enrollment:write'],
])('%s %s needs %s', (method, path, scope) => {
  const found = callable.find((operation) => operation.method === method && operation.path === path)
  expect(found && scopeOf(found)).toBe(scope)
})

it('reads with the scope to write, and not the other way round', () => {
  expect(scopesAllow(['devices:write'], 'devices:read')).toBe(true)
  expect(scopesAllow(['devices:read'], 'devices:write')).toBe(false)
  expect(scopesAllow(['devices:read'], 'sessions:read')).toBe(false)
  expect(scopesAllow([...SCOPES], undefined)).toBe(false)
})
