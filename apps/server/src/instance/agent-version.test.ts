import { expect, it } from 'vitest'
import { versionFor } from './agent-version.ts'

it.each([
  ['v0.1.0', undefined, 'v0.1.0'],
  ['v0.1.0', 'v0.19.0', 'v0.1.0'],
  ['v0.1.0', 'v0.1.0', 'v0.1.0'],
  ['v1.0.0', 'v0.19.0', 'v0.19.0'],
  ['v0.20.0', 'v0.3.9', 'v0.3.9'],
  ['v0.27.0', 'v0.27.0-rc.6', 'v0.27.0-rc.6'],
  ['v0.27.0-rc.1', 'v0.27.0', 'v0.27.0-rc.1'],
  ['v1.0.0', 'latest', 'latest'],
])('a server of %s names to an agent of %s the version %s', (own, asked, named) => {
  expect(versionFor(own, asked)).toBe(named)
})
