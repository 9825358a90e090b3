// Stops a change of many devices, tries it again where it failed, or takes it back.
import { deviceJobs } from '@bowline/contract/operations/fleet/device-jobs'
import { useQueryClient } from '@tanstack/react-query'
import { useRuntime } from '../../../core/context.tsx'
import { type Action, useAction } from '../../../core/use-action.ts'
import { keys } from '../../../live/apply-events.ts'
import { jobMessages as texts } from './messages.ts'
import { openJob } from './opened.ts'
import { noteJob } from './queries.ts'

export interface JobActions {
  readonly stop: Action<string>
  /** Shows the change of the devices that are left. */
  readonly retry: Action<string>
  /** Shows the change that takes it back. */
  readonly undo: Action<string>
}

/** All take the id of the change. */
export function useJobActions(): JobActions {
  const { api } = useRuntime()
  const client = useQueryClient()
  const stop = useAction({
    call: (id: string) => api.call(deviceJobs.stop, { params: { id } }),
    failed: texts.stopFailed,
    invalidates: [keys.deviceJobs],
  })
  const start = async (operation: typeof deviceJobs.undo, id: string) => {
    const { body } = await api.call(operation, { params: { id } })
    noteJob(client, api, body)
    openJob(body.id)
  }
  const retry = useAction({
    call: (id: string) => start(deviceJobs.retry, id),
    failed: texts.retryFailed,
    invalidates: [keys.deviceJobs],
  })
  const undo = useAction({
    call: (id: string) => start(deviceJobs.undo, id),
    failed: texts.undoFailed,
    invalidates: [keys.deviceJobs],
  })
  return { stop, retry, undo }
}
