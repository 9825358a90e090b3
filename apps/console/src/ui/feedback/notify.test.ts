import { notifications, notificationsStore } from '@mantine/notifications'
import type { ReactElement } from 'react'
import { afterEach, expect, it, vi } from 'vitest'
import { notifyDone, notifyOf } from './notify.tsx'

afterEach(() => notifications.clean())

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

const fold = { id: 'accept', title: (count: number) => `${count} devices accepted` }
const undoShown = () => (shown()[0]?.message as ReactElement<{ onClick: () => void }> | undefined)?.props.onClick()

it('folds what is done quickly into one notification, whose undo takes all of it back', async () => {
  const undone: string[] = []
  const onUndo = (name: string) => () => Promise.resolve(undone.push(name))
  for (const name of ['a', 'b', 'c']) notifyDone({ title: `${name} accepted`, onUndo: onUndo(name), fold })
  notifyDone({ title: 'd rejected', onUndo: onUndo('d'), fold: { ...fold, id: 'reject' } })
  expect(shown().map(({ title }) => title)).toEqual(['3 devices accepted', 'd rejected'])
  undoShown()
  await vi.waitUntil(() => undone.length === 3)
  expect(undone).toEqual(['a', 'b', 'c'])
  // What comes after it stands alone.
  notifyDone({ title: 'e accepted', onUndo: onUndo('e'), fold })
  expect(shown().map(({ title }) => title)).toEqual(['d rejected', 'e accepted'])
})

it('tries only those again whose undo has failed', async () => {
  let isAway = true
  const [first, second] = [
    vi.fn(() => Promise.resolve()),
    vi.fn(() => (isAway ? Promise.reject(new Error('away')) : Promise.resolve())),
  ]
  notifyDone({ title: 'a accepted', onUndo: first, fold })
  notifyDone({ title: 'b accepted', onUndo: second, fold })
  undoShown()
  await vi.waitUntil(() => shown().some(({ title }) => title === 'It could not be undone'))
  isAway = false
  const message = shown()[0]?.message as ReactElement<{
    children: ReactElement<{ actions: { onClick: () => void }[] }>[]
  }>
  message.props.children.at(-1)?.props.actions[0]?.onClick()
  await vi.waitUntil(() => second.mock.calls.length === 2)
  expect(first).toHaveBeenCalledOnce()
})
