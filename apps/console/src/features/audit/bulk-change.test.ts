import { expect, it } from 'vitest'
import { describeBulkChange } from './bulk-change.tsx'

const about = { action: 'tag', tags: ['autumn'], devices: 10_005 }

it.each([
  ['device.bulk', about, 'Adding tags to 10,005 devices'],
  ['device.bulk-end', { ...about, state: 'done', done: 10_005, failed: 0 }, 'Tags added to 10,005 devices'],
  ['device.bulk-end', { ...about, state: 'stopped', done: 7, failed: 2 }, 'Tags added to 7 devices: stopped, 2 failed'],
  ['device.bulk-end', { ...about, state: 'stopped' }, 'Adding tags to 10,005 devices: stopped'],
  ['device.bulk-end', { ...about, action: 'undo', state: 'done', done: 1, failed: 0 }, 'Changes to 1 device undone'],
  ['device.bulk-end', { ...about, action: 'of a newer server', done: 1 }, undefined],
  ['device.bulk', {}, undefined],
  ['device.accept', about, undefined],
])('says of %s %o: %s', (action, details, text) => {
  expect(describeBulkChange({ action, details })).toBe(text)
})
