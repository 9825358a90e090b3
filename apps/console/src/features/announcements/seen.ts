// Tells the server that the person has seen an announcement: it is not shown to them again, in any browser.
import { announcements } from '@bowline/contract/operations/announcements'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useRuntime } from '../../core/context.tsx'
import { unreadQuery } from './queries.ts'

/** @returns marks an announcement; a failure shows it once more later, and nothing else */
export function useMarkSeen(): (uuid: string) => void {
  const { api } = useRuntime()
  const queryClient = useQueryClient()
  return useCallback(
    (uuid) => {
      const { queryKey } = unreadQuery(api)
      queryClient.setQueryData(queryKey, (shown) => shown?.filter((one) => one.uuid !== uuid))
      api.call(announcements.markRead, { params: { uuid } }).catch(() => undefined)
    },
    [api, queryClient],
  )
}
