// What people type into the search field as the API's filter (base64 of a JSON list, api.md section 3).
import type { Filter } from '@bowline/contract/schemas/filter'

const SEARCHED = ['name', 'identity.mac', 'remote_addr', 'info.pretty_name'] as const

/**
 * The filter for devices of which any searched property contains the words.
 * @returns undefined for no words: no filter
 */
export function deviceFilter(words: string): string | undefined {
  const value = words.trim()
  if (value === '') return undefined
  const conditions = SEARCHED.map((name) => ({
    type: 'property' as const,
    params: { name, operator: 'contains' as const, value },
  }))
  const filter: Filter = [...conditions, { type: 'operator', params: { name: 'or' } }]
  const bytes = new TextEncoder().encode(JSON.stringify(filter))
  return btoa(String.fromCharCode(...bytes))
}
