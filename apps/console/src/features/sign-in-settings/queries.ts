// Query of the settings of sign-in.
import { singleSignOn } from '@bowline/contract/operations/single-sign-on'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'

export const SETTINGS_KEY = ['sign-in-settings'] as const

export function settingsQuery(api: Api) {
  return queryOptions({
    queryKey: SETTINGS_KEY,
    queryFn: async ({ signal }) => (await api.call(singleSignOn.settings, { signal })).body,
  })
}
