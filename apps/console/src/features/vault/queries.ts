// The keys of the vault that are registered in the namespace.
import { publicKeys } from '@bowline/contract/operations/public-keys'
import { MAX_CONDITIONS } from '@bowline/contract/schemas/filter'
import type { PublicKey } from '@bowline/contract/schemas/public-key'
import { queryOptions } from '@tanstack/react-query'
import type { Api } from '../../auth/api.ts'
import { encodeFilter, where } from '../../core/list-filter.ts'
import { keys } from '../../live/apply-events.ts'

/** @param fingerprints as `ssh-keygen -l` prints them */
export function registeredQuery(api: Api, fingerprints: readonly string[]) {
  return queryOptions({
    queryKey: [...keys.publicKeys, 'registered', fingerprints],
    async queryFn({ signal }): Promise<readonly PublicKey[]> {
      const found: PublicKey[] = []
      for (let at = 0; at < fingerprints.length; at += MAX_CONDITIONS) {
        const asked = fingerprints.slice(at, at + MAX_CONDITIONS)
        const conditions = asked.map((fingerprint) => where('fingerprint_sha256', 'eq', fingerprint))
        const query = {
          page: '1',
          per_page: String(MAX_CONDITIONS),
          filter: encodeFilter([{ join: 'or', conditions }]),
        }
        found.push(...(await api.call(publicKeys.list, { query, signal })).body)
      }
      return found
    },
  })
}
