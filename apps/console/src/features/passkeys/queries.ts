// Queries for the signed-in person's passkeys.
import { passkeys } from '@bowline/contract/operations/passkeys'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'

const PASSKEYS = ['passkeys'] as const
/** Queries that a change of the passkeys invalidates: the events of the account too. */
export const AFTER_CHANGE = [PASSKEYS, ['account-activity']] as const

export function passkeysQuery(api: Api) {
  return queryOptions({
    queryKey: PASSKEYS,
    queryFn: async ({ signal }) => (await api.call(passkeys.list, { signal })).body,
  })
}
