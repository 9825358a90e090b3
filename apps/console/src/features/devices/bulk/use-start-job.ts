// Starts a change of all devices that match, which the server does.
import { deviceJobs } from '@bowline/contract/operations/fleet/device-jobs'
import { useQueryClient } from '@tanstack/react-query'
import { useRuntime } from '../../../core/context.tsx'
import { deviceFilter } from '../../../core/devices/device-filter.ts'
import type { DeviceKind } from '../../../core/devices/queries.ts'
import { type Action, useAction } from '../../../core/use-action.ts'
import { keys } from '../../../live/apply-events.ts'
import { openJob } from '../jobs/opened.ts'
import { noteJob } from '../jobs/queries.ts'
import { type DevicesSearch, choicesOf } from '../search.ts'
import type { BulkChange } from './bulk-actions.ts'
import { bulkMessages as texts } from './bulk-messages.ts'

/** Shows the progress of the change once it has begun. @param onStarted called then */
export function useStartJob(kind: DeviceKind, search: DevicesSearch, onStarted: () => void): Action<BulkChange> {
  const { api } = useRuntime()
  const client = useQueryClient()
  return useAction({
    async call(change: BulkChange) {
      const tags = 'tags' in change ? [...change.tags] : []
      const filter = deviceFilter(choicesOf(search))
      const body = { action: change.kind, tags, list: kind, status: search.status, filter }
      const { body: job } = await api.call(deviceJobs.create, { body })
      noteJob(client, api, job)
      openJob(job.id)
      onStarted()
    },
    failed: texts.jobFailed,
    invalidates: [keys.deviceJobs],
  })
}
