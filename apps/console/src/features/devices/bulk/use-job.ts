// A change of all devices that match, which the server does: starting, watching, stopping and undoing it.
import { type DeviceJob, deviceJobs } from '@bowline/contract/operations/fleet/device-jobs'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useRuntime } from '../../../core/context.tsx'
import { deviceFilter } from '../../../core/devices/device-filter.ts'
import type { DeviceKind } from '../../../core/devices/queries.ts'
import { useAction } from '../../../core/use-action.ts'
import { keys } from '../../../live/apply-events.ts'
import { type DevicesSearch, choicesOf } from '../search.ts'
import type { BulkChange } from './bulk-actions.ts'
import { bulkMessages as texts } from './bulk-messages.ts'

/** Milliseconds between two looks at a running job. */
const LOOK_MS = 700

export interface Job {
  /** The job under way or just ended; undefined: none was started. */
  readonly job: DeviceJob | undefined
  readonly start: (change: BulkChange) => void
  readonly stop: () => void
  readonly undo: () => void
  readonly forget: () => void
}

export function useJob(kind: DeviceKind, search: DevicesSearch): Job {
  const { api } = useRuntime()
  const client = useQueryClient()
  const [first, setFirst] = useState<DeviceJob>()
  const id = first?.id ?? ''
  const { data: job = first } = useQuery({
    queryKey: [...keys.deviceJobs, id],
    queryFn: async ({ signal }) => (await api.call(deviceJobs.get, { params: { id }, signal })).body,
    enabled: first !== undefined,
    refetchInterval: ({ state }) => (state.data?.state === 'running' || !state.data ? LOOK_MS : false),
  })
  const ended = job === undefined || job.state === 'running' ? undefined : job.id
  useEffect(() => {
    if (ended === undefined) return
    for (const queryKey of [keys.devices, keys.containers, keys.stats, keys.tags])
      void client.invalidateQueries({ queryKey })
  }, [ended, client])

  const create = useAction({
    async call(change: BulkChange) {
      const tags = 'tags' in change ? [...change.tags] : []
      const filter = deviceFilter(choicesOf(search))
      const body = { action: change.kind, tags, list: kind, status: search.status, filter }
      setFirst((await api.call(deviceJobs.create, { body })).body)
    },
    failed: texts.jobFailed,
  })
  const takeBack = useAction({
    call: async (of: string) => setFirst((await api.call(deviceJobs.undo, { params: { id: of } })).body),
    failed: texts.undoFailed,
  })
  const end = useAction({
    call: (of: string) => api.call(deviceJobs.stop, { params: { id: of } }),
    failed: texts.stopFailed,
    invalidates: [keys.deviceJobs],
  })
  return {
    job,
    start: (change) => void create.run(change),
    stop: () => void end.run(id),
    undo: () => void takeBack.run(id),
    forget: () => setFirst(undefined),
  }
}
