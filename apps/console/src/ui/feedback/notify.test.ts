import { notificationsStore } from '@mantine/notifications'
import { expect, it } from 'vitest'
import { notifyOf } from './notify.tsx'

const shown = () => notificationsStore.getState().notifications

it('replaces a notice by one that shows for its full time, and leaves others alone', () => {
  notifyOf({ id: 'a', title: 'first' })
  const [first] = shown()
  notifyOf({ id: 'b', title: 'other' })
  notifyOf({ id: 'a', title: 'second' })
  expect(shown().map(({ title }) => title)).toEqual(['other', 'second'])
  // A notification with the same id goes on with the time of the one before.
  expect(shown().map(({ id }) => id)).not.toContain(first?.id)
})
