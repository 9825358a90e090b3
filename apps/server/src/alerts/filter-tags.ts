// Tags in the filter of an alert rule. Pure.
import type { FILTER_OPERATORS, Filter } from '@bowline/contract/schemas/filter'
import { decodeFilter } from '../db/lists/filter.ts'

/** Names of the property of the device list that has the tags. */
const PROPERTIES: ReadonlySet<string> = new Set(['tags', 'tags.name'])

type Item = Filter[number]
type Operator = (typeof FILTER_OPERATORS)[number]

/** Whether a filter finds devices by a tag, or by a part of its name. */
export function filterNamesTag(filter: string, tag: string): boolean {
  return readFilter(filter).some((item) => {
    if (!isAboutTags(item)) return false
    const { operator, value } = item.params
    if (typeof value === 'object') return value.map(String).includes(tag)
    if (!isAboutParts(operator)) return String(value) === tag
    return tag.toLowerCase().includes(String(value).toLowerCase())
  })
}

/** Renames a tag where a filter has it as a whole; a part of a name is a search that may find other tags too. */
export function renameTagInFilter(filter: string, from: string, to: string): string {
  let isChanged = false
  const renamed = <T>(value: T): T | string => {
    if (String(value) !== from) return value
    isChanged = true
    return to
  }
  const items = readFilter(filter).map((item) => {
    if (!isAboutTags(item)) return item
    const { operator, value } = item.params
    if (typeof value === 'object') return { ...item, params: { ...item.params, value: value.map(renamed) } }
    return isAboutParts(operator) ? item : { ...item, params: { ...item.params, value: renamed(value) } }
  })
  return isChanged ? Buffer.from(JSON.stringify(items)).toString('base64') : filter
}

function isAboutParts(operator: Operator): boolean {
  return operator === 'contains' || operator === 'ncontains'
}

function isAboutTags(item: Item): item is Extract<Item, { type: 'property' }> {
  return item.type === 'property' && PROPERTIES.has(item.params.name)
}

/** A filter that this version does not know finds nothing: the evaluation leaves its rule out. */
function readFilter(filter: string): Filter {
  if (filter === '') return []
  try {
    return decodeFilter(filter)
  } catch {
    return []
  }
}
