// Accepts, rejects and removes devices with optimistic updates, rolled back when the server refuses.
import { devices } from '@bowline/contract/operations/devices'
import type { Device, DeviceStatus } from '@bowline/contract/schemas/device'
import { type QueryClient, type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useRuntime } from '../../core/context.tsx'
import { grace } from '../../core/grace.ts'
import { useAction } from '../../core/use-action.ts'
import { type DeviceListSearch, type ListPage, keys, withItemAt, withoutItem } from '../../live/apply-events.ts'
import { useLimitRemedy } from './limit-remedy.ts'
import { devicesMessages as texts } from './messages.ts'

export type DeviceAction = 'accept' | 'reject' | 'remove'

interface Request {
  readonly device: Device
  readonly action: DeviceAction
}

/** Status that results from each action. */
const RESULTS = { accept: 'accepted', reject: 'rejected', remove: 'removed' } as const satisfies Record<
  DeviceAction,
  DeviceStatus
>
const DONE = { accept: texts.accepted, reject: texts.rejected, remove: texts.removed }
const MANY = { accept: texts.acceptedMany, reject: texts.rejectedMany }
const FAILED = { accept: texts.acceptFailed, reject: texts.rejectFailed, remove: texts.removeFailed }

export interface DeviceActions {
  /** A removal begins after a grace period, in which it can be undone. */
  readonly run: (action: DeviceAction, device: Device) => Promise<boolean>
}

/** Actions on devices. `run` resolves to true on success; a failure has been shown by then, and an undo is not one. */
export function useDeviceActions(): DeviceActions {
  const { api } = useRuntime()
  const queryClient = useQueryClient()
  const act = useAction({
    subject: ({ device }: Request) => device.uid,
    async call({ device, action }: Request) {
      const { uid } = device
      if (action === 'remove') {
        await api.call(devices.remove, { params: { uid } })
        return
      }
      await api.call(devices.setStatus, { params: { uid, status: action } })
      const changed = { ...device, status: RESULTS[action] }
      queryClient.setQueryData<Device>(keys.device(uid), (before) => before && changed)
    },
    async optimistic({ device, action }) {
      // An answer in flight would bring the row back for a moment.
      await queryClient.cancelQueries({ queryKey: keys.deviceLists })
      const removedRows = removeFromLists(queryClient, device, RESULTS[action])
      return () => putBack(queryClient, device, removedRows)
    },
    done: ({ device, action }) => DONE[action](device.name),
    failed: ({ device, action }) => FAILED[action](device.name),
    remedy: useLimitRemedy(),
    undo: ({ device: { uid }, action }) =>
      action === 'accept'
        ? api.call(devices.undoAccept, { params: { uid } })
        : api.call(devices.setStatus, { params: { uid, status: 'pending' } }),
    // Nothing brings a removed device back, nor the one that a new one has replaced.
    canUndo: ({ device, action }) =>
      action === 'accept' ? !device.replaces : action === 'reject' && device.status === 'pending',
    fold: ({ action }) => (action === 'remove' ? undefined : { id: `devices.${action}`, title: MANY[action] }),
    invalidates: [keys.deviceLists, keys.containers, keys.stats],
  })
  return {
    async run(action, device) {
      if (action === 'remove' && !(await grace(texts.removing(device.name), [device.uid]))) return false
      return act.run({ device, action })
    },
  }
}

interface RemovedRow {
  readonly key: QueryKey
  readonly index: number
}

/** Removes a device from every cached list it no longer belongs to. @returns its old positions */
function removeFromLists(queryClient: QueryClient, device: Device, status: DeviceStatus): RemovedRow[] {
  const removedRows: RemovedRow[] = []
  for (const [key, page] of queryClient.getQueriesData<ListPage<Device>>({ queryKey: keys.deviceLists })) {
    const search = key[2] as DeviceListSearch
    const index = page?.items.findIndex(({ uid }) => uid === device.uid) ?? -1
    if (!page || index < 0 || search.status === status) continue
    removedRows.push({ key, index })
    queryClient.setQueryData(key, withoutItem(page, device.uid))
  }
  return removedRows
}

function putBack(queryClient: QueryClient, device: Device, removedRows: readonly RemovedRow[]): void {
  for (const { key, index } of removedRows) {
    queryClient.setQueryData<ListPage<Device>>(key, (page) => page && withItemAt(page, device, index))
  }
}
