import { expect, it } from 'vitest'
import { hasInstalled } from './install.js'

const lock = {
  packages: {
    '': { version: '0.1.0' },
    'packages/base': { version: '0.1.0' },
    'node_modules/a': { version: '1.0.0' },
    'node_modules/a/node_modules/b': { version: '2.0.0' },
    'node_modules/a-for-another-platform': { version: '1.0.0', optional: true },
    'node_modules/@bowline/base': { link: true },
  },
}
const installed = {
  'packages/base': { version: '0.1.0' },
  'node_modules/a': { version: '1.0.0' },
  'node_modules/a/node_modules/b': { version: '2.0.0' },
  'node_modules/@bowline/base': {},
}

it('takes what npm has installed for installed', () => {
  expect(hasInstalled(lock, { packages: installed })).toBe(true)
})

it.each([
  ['another version', { ...installed, 'node_modules/a': { version: '1.0.1' } }],
  [
    'another version of an optional package',
    { ...installed, 'node_modules/a-for-another-platform': { version: '2.0.0' } },
  ],
  ['a missing package', { ...installed, 'node_modules/a/node_modules/b': undefined }],
  ['a missing workspace', { ...installed, 'node_modules/@bowline/base': undefined }],
])('does not with %s', (_, packages) => {
  expect(hasInstalled(lock, { packages: JSON.parse(JSON.stringify(packages)) })).toBe(false)
})
