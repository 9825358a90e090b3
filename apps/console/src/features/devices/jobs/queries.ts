// Queries for changes of many devices. The list is asked for again when one begins or ends, those that run every second or so.
import { type DeviceJob, deviceJobs } from '@bowline/contract/operations/fleet/device-jobs'
import { type QueryClient, queryOptions } from '@tanstack/react-query'
import type { Api } from '../../../auth/api.ts'
import { keys } from '../../../live/apply-events.ts'

/** Milliseconds between two looks at a running change. */
const LOOK_MS = 1_000

const DAY_MS = 86_400_000

/** The person's latest changes: those that run, then the newest. */
export function jobsQuery(api: Api) {
  return queryOptions({
    queryKey: [...keys.deviceJobs, 'list'],
    queryFn: async ({ signal }) => (await api.call(deviceJobs.list, { signal })).body,
  })
}

/** One change, followed while it runs. */
export function jobQuery(api: Api, id: string) {
  return queryOptions({
    queryKey: [...keys.deviceJobs, 'one', id],
    queryFn: async ({ signal }) => (await api.call(deviceJobs.get, { params: { id }, signal })).body,
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? LOOK_MS : false),
  })
}

/** Shows a change that has just begun, before the server is asked for it. */
export function noteJob(client: QueryClient, api: Api, job: DeviceJob): void {
  client.setQueryData(jobQuery(api, job.id).queryKey, job)
  client.setQueryData(jobsQuery(api).queryKey, (before = []) => [job, ...before])
}

/** Running changes, and those that ended within a day. */
export function recentJobs(jobs: readonly DeviceJob[], now: number): DeviceJob[] {
  return jobs.filter(({ finished_at: at }) => at === null || Date.parse(at) > now - DAY_MS)
}
