import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { safeRedirect } from './redirect.ts'

const ORIGIN = 'https://bowline.example'

it.each([
  ['/devices?page=2#top', '/devices?page=2#top'],
  ['/sessions', '/sessions'],
  [undefined, '/'],
  ['', '/'],
  ['https://evil.example/', '/'],
  ['//evil.example/', '/'],
  ['/\\evil.example/', '/'],
  ['/\t/evil.example/', '/'],
  ['/x/..//evil.example/', '/'],
  ['javascript:alert(1)', '/'],
  ['devices', '/'],
  ['/sign-in?redirect=/sign-in', '/'],
  ['/setup?sign=1', '/'],
])('%j leads to %s', (requested, expected) => {
  expect(safeRedirect(requested, ORIGIN)).toBe(expected)
})

it('never leaves the origin, whatever the requested URL', () => {
  const part = fc.constantFrom(
    '/',
    '\\',
    '.',
    '..',
    ':',
    '@',
    'evil.example',
    '\t',
    '\n',
    ' ',
    '?',
    '#',
    '%2f',
    'javascript:',
    'http',
  )
  const requested = fc.oneof(
    fc.string(),
    fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
    fc.webUrl(),
  )
  fc.assert(
    fc.property(requested, (text) => {
      const path = safeRedirect(text, ORIGIN)
      expect(path.startsWith('/')).toBe(true)
      expect(new URL(path, ORIGIN).origin).toBe(ORIGIN)
    }),
  )
})
