// Queries for changes of many devices. The list is asked for again when one begins or ends, those that run every second or so.
import type { ExportFormat } from '@bowline/contract/schemas/common'
import { type DeviceJob, type DeviceJobFailure, deviceJobs } from '@bowline/contract/operations/fleet/device-jobs'
import { type QueryClient, keepPreviousData, queryOptions } from '@tanstack/react-query'
import type { Api } from '../../../auth/api.ts'
import { type ListPage, keys } from '../../../live/apply-events.ts'
import { listPage } from '../../../live/list-page.ts'

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

export const FAILURES_PER_PAGE = 25

/** Failures with this cause; undefined: all. */
export type FailureCause = Pick<DeviceJob['failures'][number], 'code' | 'message'> | undefined

/** Devices on which a change failed; asked for again as it goes on. */
export function failuresQuery(api: Api, { id, failed }: DeviceJob, cause: FailureCause, page: number) {
  return queryOptions({
    queryKey: [...keys.deviceJobs, 'failures', id, failed, cause, page],
    queryFn: async ({ signal }): Promise<ListPage<DeviceJobFailure>> => {
      const query = { ...asQuery(cause), page: String(page), per_page: String(FAILURES_PER_PAGE) }
      return listPage(await api.call(deviceJobs.failures, { params: { id }, query, signal }))
    },
    placeholderData: keepPreviousData,
  })
}

/** All failures with a cause as a file. */
export function openFailures(api: Api, id: string, cause: FailureCause, format: ExportFormat): Promise<Response> {
  return api.open(deviceJobs.failures, { params: { id }, query: { ...asQuery(cause), format } })
}

function asQuery(cause: FailureCause) {
  return cause ? { cause: cause.code, message: cause.message } : {}
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
