// Accepted members of the namespace that is open.
import type { Member } from '@bowline/contract/schemas/namespace'
import { useQuery } from '@tanstack/react-query'
import { usePerson, useRuntime } from '../../core/context.tsx'
import { namespaceQuery } from './queries.ts'

export function useMembers(): readonly Member[] {
  const { api } = useRuntime()
  const { data } = useQuery(namespaceQuery(api, usePerson()?.tenant ?? ''))
  return data?.members.filter(({ status }) => status === 'accepted') ?? []
}
