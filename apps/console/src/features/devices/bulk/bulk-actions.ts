// Changes many devices at once. Failures are reported together, and a retry covers only those that it can help.
import { devices as operations } from '@bowline/contract/operations/devices'
import type { Device } from '@bowline/contract/schemas/device'
import { useState } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { grace } from '../../../core/grace.ts'
import { useAction } from '../../../core/use-action.ts'
import { keys } from '../../../live/apply-events.ts'
import { fanOut } from '../../../platform/fan-out.ts'
import { describeError } from '../../../ui/feedback/describe-error.ts'
import { notifyFailure } from '../../../ui/feedback/notify.tsx'
import { isFinal } from '../../../auth/retry.ts'
import { jobMessages } from '../jobs/messages.ts'
import { bulkMessages as texts } from './bulk-messages.ts'

export type BulkChange =
  | { readonly kind: 'accept' | 'reject' | 'remove' }
  | { readonly kind: 'tag' | 'untag'; readonly tags: readonly string[] }

interface Request {
  readonly devices: readonly Device[]
  readonly change: BulkChange
}

export interface BulkActions {
  readonly perform: (devices: readonly Device[], change: BulkChange) => Promise<void>
  /** Number of devices done; undefined: nothing is in progress. */
  readonly progress: number | undefined
}

/** @param onClear called when a change worked for every device */
export function useBulkActions(onClear: () => void): BulkActions {
  const { api } = useRuntime()
  const [count, setCount] = useState(0)
  const setStatus = ({ uid }: Device, status: 'accept' | 'reject' | 'pending') =>
    api.call(operations.setStatus, { params: { uid, status } })
  const setTags = ({ uid }: Device, tags: Iterable<string>) =>
    api.call(operations.setTags, { params: { uid }, body: { tags: [...tags] } })

  async function apply(device: Device, change: BulkChange): Promise<void> {
    const { uid, tags } = device
    if (change.kind === 'remove') await api.call(operations.remove, { params: { uid } })
    else if (change.kind === 'tag') await setTags(device, new Set([...tags, ...change.tags]))
    else if (change.kind === 'untag')
      await setTags(
        device,
        tags.filter((tag) => !change.tags.includes(tag)),
      )
    else await setStatus(device, change.kind)
  }

  const act = useAction({
    async call({ devices, change }: Request) {
      setCount(0)
      const failed = await fanOut(devices, (device) => apply(device, change), setCount)
      const worked = devices.filter((device) => !failed.some(({ item }) => item === device))
      return { failed, worked }
    },
    done: ({ change }, { worked }) =>
      worked.length === 0 ? undefined : jobMessages.sentence(jobMessages.results[change.kind](worked.length)),
    undo: ({ change }, { worked }) =>
      fanOut(worked, async (device) => {
        if (change.kind === 'accept') await api.call(operations.undoAccept, { params: { uid: device.uid } })
        else if (change.kind === 'reject') await setStatus(device, 'pending')
        else await setTags(device, device.tags)
      }),
    canUndo: ({ change }, { worked }) =>
      change.kind !== 'remove' && (change.kind !== 'accept' || worked.every(({ replaces }) => !replaces)),
    invalidates: [keys.devices, keys.containers, keys.stats, keys.tags],
  })

  /** The action itself never fails: what is shown of its failures are the devices, and only those are tried again. */
  async function perform(devices: readonly Device[], change: BulkChange): Promise<void> {
    if (change.kind === 'remove') {
      const uids = devices.map(({ uid }) => uid)
      onClear()
      if (!(await grace(texts.removing(devices.length), uids))) return
    }
    const { failed } = await act.send({ devices, change })
    if (failed.length === 0) {
      // A removal cleared the selection when it was confirmed; this one is newer.
      if (change.kind !== 'remove') onClear()
      return
    }
    const causes = failed.map(({ item, error }) => `${item.name}: ${describeError(error).cause}`).join(' ')
    const left = failed.filter(({ error }) => !isFinal(error)).map(({ item }) => item)
    notifyFailure({
      title: texts.failed(failed.length, devices.length),
      error: new Error(causes),
      ...(left.length > 0 ? { onRetry: () => void perform(left, change) } : {}),
    })
  }
  return { perform, progress: act.isPending ? count : undefined }
}
