// Queries of the second factor.
import { mfa } from '@bowline/contract/operations/mfa'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'

export const SECOND_FACTOR = ['second-factor'] as const

export const secondFactorQuery = (api: Api) =>
  queryOptions({
    queryKey: SECOND_FACTOR,
    queryFn: async ({ signal }) => (await api.call(mfa.get, { signal })).body,
    staleTime: 0,
  })

/** A new secret for each opening of the wizard; it must not change while the person switches to the app and back. */
export const newFactorQuery = (api: Api) =>
  queryOptions({
    queryKey: ['new-factor'],
    queryFn: async ({ signal }) => (await api.call(mfa.generate, { signal })).body,
    staleTime: Infinity,
    gcTime: 0,
  })
