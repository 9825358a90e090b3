// What people look for in a list of devices, as the API's filter.
import { type ConditionGroup, encodeFilter, where } from '../../session/list-filter.ts'

const SEARCHED = ['name', 'identity.mac', 'remote_addr', 'info.pretty_name'] as const

/**
 * The filter for devices of which any searched property contains the words, and that have the tag.
 * @returns undefined for neither: no filter
 */
export function deviceFilter(words: string, tag = ''): string | undefined {
  const value = words.trim()
  const groups: ConditionGroup[] = []
  if (value !== '') groups.push({ join: 'or', conditions: SEARCHED.map((name) => where(name, 'contains', value)) })
  if (tag !== '') groups.push({ join: 'and', conditions: [where('tags', 'contains', [tag])] })
  return encodeFilter(groups)
}
