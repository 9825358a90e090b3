// Stops a change of many devices, or takes it back.
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
  /** Shows the change that takes it back. */
  readonly undo: Action<string>
}

/** Both take the id of the change. */
export function useJobActions(): JobActions {
  const { api } = useRuntime()
  const client = useQueryClient()
  const stop = useAction({
    call: (id: string) => api.call(deviceJobs.stop, { params: { id } }),
    failed: texts.stopFailed,
    invalidates: [keys.deviceJobs],
  })
  const undo = useAction({
    async call(id: string) {
      const { body } = await api.call(deviceJobs.undo, { params: { id } })
      noteJob(client, api, body)
      openJob(body.id)
    },
    failed: texts.undoFailed,
    invalidates: [keys.deviceJobs],
  })
  return { stop, undo }
}
