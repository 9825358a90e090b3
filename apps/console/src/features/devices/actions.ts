// Accepts, rejects and removes devices with optimistic updates, rolled back when the server refuses.
import { devices } from '@bowline/contract/operations/devices'
import type { Device, DeviceStatus } from '@bowline/contract/schemas/device'
import { type QueryClient, type QueryKey, useIsMutating, useMutation, useQueryClient } from '@tanstack/react-query'
import { useRuntime } from '../../core/context.tsx'
import { type DeviceListSearch, type ListPage, keys, withItemAt, withoutItem } from '../../live/apply-events.ts'
import { notifyDone, notifyFailure } from '../../ui/feedback/notify.tsx'
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
const FAILED = { accept: texts.acceptFailed, reject: texts.rejectFailed, remove: texts.removeFailed }

export interface DeviceActions {
  run(action: DeviceAction, device: Device): Promise<boolean>
}

const ACTING = ['devices', 'act'] as const

/** True while an action on a device is in progress, wherever it was started. */
export function useIsActing(uid: string): boolean {
  const isOnThis = ({ state }: { state: { variables: unknown } }) => {
    const { variables } = state
    return (
      typeof variables === 'object' && variables !== null && 'device' in variables && isDevice(variables.device, uid)
    )
  }
  return useIsMutating({ mutationKey: ACTING, predicate: isOnThis }) > 0
}

function isDevice(value: unknown, uid: string): boolean {
  return typeof value === 'object' && value !== null && 'uid' in value && value.uid === uid
}

/** Actions on devices. `run` resolves to true on success; a failure has been shown by then. */
export function useDeviceActions(): DeviceActions {
  const { api } = useRuntime()
  const queryClient = useQueryClient()
  const mutation = useMutation({
    mutationKey: ACTING,
    mutationFn: async ({ device, action }: Request) => {
      if (action === 'remove') await api.call(devices.remove, { params: { uid: device.uid } })
      else await api.call(devices.setStatus, { params: { uid: device.uid, status: action } })
    },
    onMutate: async ({ device, action }) => {
      // An answer in flight would bring the row back for a moment.
      await queryClient.cancelQueries({ queryKey: keys.deviceLists })
      return removeFromLists(queryClient, device, RESULTS[action])
    },
    onSuccess: (_, { device, action }) => {
      const title = DONE[action](device.name)
      // Accepting and removing cannot be undone on the server; a rejected device can go back to pending.
      if (action === 'reject' && device.status === 'pending')
        notifyDone({ title, onUndo: () => putBackToPending(device) })
      else notifyDone({ title })
      const changed = { ...device, status: RESULTS[action] }
      if (action !== 'remove') queryClient.setQueryData<Device>(keys.device(device.uid), (before) => before && changed)
    },
    onError: (error, { device, action }, removedRows) => {
      putBack(queryClient, device, removedRows ?? [])
      notifyFailure({ title: FAILED[action](device.name), error, onRetry: () => void run(action, device) })
    },
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: keys.deviceLists })
      void queryClient.invalidateQueries({ queryKey: keys.containers })
      void queryClient.invalidateQueries({ queryKey: keys.stats })
    },
  })

  async function putBackToPending({ uid }: Device): Promise<void> {
    await api.call(devices.setStatus, { params: { uid, status: 'pending' } })
    void queryClient.invalidateQueries({ queryKey: keys.deviceLists })
    void queryClient.invalidateQueries({ queryKey: keys.stats })
  }

  async function run(action: DeviceAction, device: Device): Promise<boolean> {
    return mutation.mutateAsync({ action, device }).then(
      () => true,
      () => false,
    )
  }

  return { run }
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
