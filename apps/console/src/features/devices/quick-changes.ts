// Small changes of one device that need no form: its name, one more tag.
import { devices as operations } from '@bowline/contract/operations/devices'
import type { Device } from '@bowline/contract/schemas/device'
import { useRuntime } from '../../core/context.tsx'
import { type Action, useAction } from '../../core/use-action.ts'
import { keys } from '../../live/apply-events.ts'
import { devicesMessages as texts } from './messages.ts'

interface Change {
  readonly device: Device
  /** The new name, or the tag to add. */
  readonly value: string
}

/** Renames a device; can be undone. */
export function useRename(): Action<Change> {
  const { api } = useRuntime()
  const put = ({ uid }: Device, name: string) => api.call(operations.update, { params: { uid }, body: { name } })
  return useAction({
    call: ({ device, value }: Change) => put(device, value),
    done: ({ device, value }) => texts.renamed(device.name, value),
    failed: ({ device }) => texts.renameFailed(device.name),
    undo: ({ device }) => put(device, device.name),
    invalidates: [keys.devices, keys.containers],
  })
}

/** Adds a tag to a device; can be undone. */
export function useAddTag(): Action<Change> {
  const { api } = useRuntime()
  const put = ({ uid }: Device, tags: readonly string[]) =>
    api.call(operations.setTags, { params: { uid }, body: { tags: [...tags] } })
  return useAction({
    call: ({ device, value }: Change) => put(device, [...device.tags, value]),
    done: ({ device, value }) => texts.tagAdded(device.name, value),
    failed: ({ device, value }) => texts.tagAddFailed(device.name, value),
    undo: ({ device }) => put(device, device.tags),
    invalidates: [keys.devices, keys.containers, keys.tags],
  })
}
