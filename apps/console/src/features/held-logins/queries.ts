// Queries for SSH logins that wait for the person.
import { heldLogins } from '@bowline/contract/operations/held-logins'
import type { HeldLogin } from '@bowline/contract/schemas/held-login'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'
import { keys } from '../../live/apply-events.ts'

/** Interval at which a list that is not empty is fetched again: logins expire without an event. */
const REFETCH_MS = 5_000
/** And an empty one: logins at other nodes of the server cause no event here. */
const CALM_MS = 30_000

export function heldLoginsQuery(api: Api) {
  return queryOptions({
    queryKey: keys.heldLogins,
    queryFn: async ({ signal }) => (await api.call(heldLogins.list, { signal })).body,
    refetchInterval: ({ state }) => ((state.data?.length ?? 0) > 0 ? REFETCH_MS : CALM_MS),
  })
}

/** One login by its code, with the moment until which it waits in milliseconds of `Date.now()`. */
export function heldLoginQuery(api: Api, code: string) {
  return queryOptions({
    // Not among the lists that events refetch: what is decided is not found any more.
    queryKey: ['held-login', code],
    queryFn: async ({ signal }): Promise<HeldLogin & { readonly deadline: number }> => {
      const { body } = await api.call(heldLogins.get, { params: { code }, signal })
      return { ...body, deadline: Date.now() + body.expires_in * 1_000 }
    },
    retry: false,
    refetchOnWindowFocus: false,
  })
}
