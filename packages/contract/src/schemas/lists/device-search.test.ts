import { expect, it } from 'vitest'
import { MAX_SEARCH_WORDS, searchConditions, searchTextOf, unknownKeyword } from './device-search.ts'

const read = (text: string) =>
  searchConditions(text).map(({ params: { name, operator, value } }) => `${name} ${operator} ${String(value)}`)

it('looks for plain words everywhere', () => {
  expect(read('  pi  berlin ')).toEqual(['words contains pi', 'words contains berlin'])
  expect(read('   ')).toEqual([])
})

it.each([
  ['tag:kiosk', 'tags eq kiosk'],
  ['-tag:kiosk', 'tags ne kiosk'],
  ['TAG:kiosk', 'tags eq kiosk'],
  ['name:gate-', 'name contains gate-'],
  ['os:debian', 'info.pretty_name contains debian'],
  ['os:"GNU/Linux 12"', 'info.pretty_name contains GNU/Linux 12'],
  ['arch:arm64', 'info.arch eq arm64'],
  ['-agent:0.1.0', 'info.version ne 0.1.0'],
  ['-os:alpine', 'info.pretty_name ncontains alpine'],
  ['-os:"Alpine Linux"', 'info.pretty_name ncontains Alpine Linux'],
  ['-name:gate', 'name ncontains gate'],
  ['-ip:192.0.2.', 'remote_addr ncontains 192.0.2.'],
  ['-mac:02:00', 'mac ncontains 02:00'],
  ['-note:rack', 'note ncontains rack'],
  ['-pi', 'words ncontains pi'],
  ['--pi', 'words ncontains -pi'],
  ['-02:00:5e', 'words ncontains 02:00:5e'],
  ['-"second floor"', 'words ncontains second floor'],
  ['-"tag:kiosk"', 'words ncontains tag:kiosk'],
  ['-"-"', 'words ncontains -'],
  ['"-pi"', 'words contains -pi'],
  ['-"', 'words contains -'],
  ['ip:192.0.2.', 'remote_addr contains 192.0.2.'],
  ['ip:192.0.2.1', 'remote_addr eq 192.0.2.1'],
  ['-ip:192.0.2.1', 'remote_addr ne 192.0.2.1'],
  ['mac:02:00', 'mac contains 02:00'],
  ['note:rack', 'note contains rack'],
  ['version:0.1.0', 'info.version eq 0.1.0'],
  ['-Version:0.1.0', 'info.version ne 0.1.0'],
  ['is:online', 'online bool true'],
  ['is:offline', 'online bool false'],
  ['-is:online', 'online bool false'],
  ['"second floor"', 'words contains second floor'],
  ['"second floor', 'words contains second floor'],
])('reads %s as a condition', (text, condition) => {
  expect(read(text)).toEqual([condition])
})

it.each(['02:00:5e:00:53:01', 'tag:', 'is:new', 'constructor:x', 'fe80::1', '-', '--', 'a-b'])(
  'looks for %s everywhere, as it has no keyword',
  (text) => {
    expect(read(text)).toEqual([`words contains ${text}`])
  },
)

it('names a keyword that it does not have, and takes addresses for what they are', () => {
  expect(unknownKeyword('tag:kiosk foo:bar baz:x')).toBe('foo')
  expect(unknownKeyword('-Status:"not here"')).toBe('Status')
  for (const text of [
    '',
    'kiosk',
    '-OS:alpine is:new',
    'version:1',
    '"foo:bar"',
    'foo:',
    'ab:cd:ef',
    'dead:beef::1',
    '02:00:5e',
  ])
    expect(unknownKeyword(text)).toBeUndefined()
})

it('takes no more words than a filter may have conditions', () => {
  expect(read('a b c d e f g h').length).toBe(MAX_SEARCH_WORDS)
})

it('writes conditions as the text that reads as them', () => {
  const text = '-tag:kiosk os:"GNU/Linux 12" is:offline "second floor" 02:00'
  expect(searchTextOf(searchConditions(text))).toBe(text)
  for (const word of [
    '-os:"Alpine Linux"',
    '-pi',
    '--pi',
    '-"second floor"',
    '-"tag:kiosk"',
    '"tag:kiosk"',
    '"-pi"',
    '-',
    '-"-"',
  ])
    expect(searchTextOf(searchConditions(word))).toBe(word)
  for (const word of [
    '-name:gate',
    '-ip:192.0.2.',
    '-ip:192.0.2.1',
    '-mac:02:00',
    '-note:rack',
    '-tag:',
    '--',
    '-"--"',
  ])
    expect(searchTextOf(searchConditions(word))).toBe(word)
  expect(searchTextOf(searchConditions('tag:kiosk').concat(searchConditions('x')))).toBe('tag:kiosk x')
})

it('writes no text for other conditions', () => {
  expect(searchTextOf([{ type: 'property', params: { name: 'uid', operator: 'eq', value: 'a' } }])).toBeUndefined()
  expect(searchTextOf([{ type: 'property', params: { name: 'name', operator: 'ne', value: 'a' } }])).toBeUndefined()
})
