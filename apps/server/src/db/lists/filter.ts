// Compiles the filter of lists to SQL with bound parameters. Only properties that a noun allows exist; everything else
// is a 400 with the reason.
import { BowlineError } from '@bowline/contract/errors'
import { Filter, type FILTER_OPERATORS } from '@bowline/contract/schemas/filter'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { UNSTORABLE, isStorable } from '../../platform/input/storable.ts'

type Operator = (typeof FILTER_OPERATORS)[number]
type Value = string | number | boolean | readonly (string | number | boolean)[]

/** A filterable property: its SQL and the type of its value. */
interface ValueProperty {
  readonly sql: RawBuilder<unknown>
  readonly type: 'text' | 'number' | 'boolean' | 'text-array' | 'time'
  /** For texts of another table: which rows of the list a condition on the text selects. */
  readonly within?: (condition: Expression<SqlBool>) => Expression<SqlBool>
}

/** Groups that a row may be in, by their id. */
interface GroupProperty {
  readonly type: 'group'
  /** Condition for the members of a group; undefined for what is no id. */
  readonly has: (id: string) => Expression<SqlBool> | undefined
  /** What a value must be; default: an id. */
  readonly values?: string
}

export type FilterProperty = ValueProperty | GroupProperty

export type FilterProperties = Readonly<Record<string, FilterProperty>>

/** Join operator of properties after the last explicit operator: AND for lists of devices, OR for others. */
export type Trailing = 'and' | 'or'

/**
 * Compiles a filter parameter.
 * @param text base64 or base64url of a JSON array of conditions and operators; undefined or '': no condition
 * @returns one condition, or undefined
 * @throws {BowlineError} INVALID_FILTER with the violated rule
 */
export function compileFilter(
  text: string | undefined,
  properties: FilterProperties,
  trailing: Trailing,
): Expression<SqlBool> | undefined {
  if (text === undefined || text === '') return undefined
  const groups: Expression<SqlBool>[] = []
  let open: Expression<SqlBool>[] = []
  for (const item of decodeFilter(text)) {
    if (item.type === 'property') open.push(condition(item.params, properties))
    else if (open.length) {
      groups.push(join(open, item.params.name))
      open = []
    }
  }
  if (open.length) groups.push(join(open, trailing))
  return groups.length ? join(groups, 'and') : undefined
}

/** @param text not empty @throws {BowlineError} INVALID_FILTER */
export function decodeFilter(text: string): Filter {
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(text)) return refuse('must be base64')
  const decoded = Buffer.from(text, 'base64').toString('utf8')
  let json: unknown
  try {
    json = JSON.parse(decoded)
  } catch {
    return refuse('must be base64 of JSON')
  }
  if (!isStorable(decoded, json)) return refuse(UNSTORABLE)
  const parsed = Filter.safeParse(json)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  return refuse(`${issue?.path.join('.') || 'the array'}: ${issue?.message ?? 'is not valid'}`)
}

function condition(
  { name, operator, value }: { name: string; operator: Operator; value: Value },
  properties: FilterProperties,
): Expression<SqlBool> {
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined
  if (!property) return refuse(`there is no property ${name}; known: ${Object.keys(properties).join(', ')}`)
  switch (operator) {
    case 'contains':
      return contains(name, property, value)
    case 'ncontains':
      return sql<SqlBool>`not coalesce(${contains(name, property, value)}, false)`
    case 'eq':
      return equals(name, property, value)
    case 'ne':
      return sql<SqlBool>`not coalesce(${equals(name, property, value)}, false)`
    case 'bool':
      if (property.type !== 'boolean') return refuse(`bool is for booleans; ${name} is a ${property.type}`)
      return is(property, toBoolean(name, value))
    case 'gt':
      return compare(name, property, value, sql`>`)
    case 'lt':
      return compare(name, property, value, sql`<`)
  }
}

function contains(name: string, property: FilterProperty, value: Value): Expression<SqlBool> {
  if (typeof value === 'object') {
    if (property.type !== 'text-array') return refuse(`${name} is no list`)
    return sql<SqlBool>`${property.sql} @> ${value.map(String)}::text[]`
  }
  const pattern = containing(String(value))
  if (property.type === 'text-array') {
    return sql<SqlBool>`exists (select from unnest(${property.sql}) as element where element ilike ${pattern})`
  }
  if (property.type !== 'text')
    return refuse(`contains and ncontains are for texts and lists; ${name} is a ${property.type}`)
  return ofList(property, sql<SqlBool>`${property.sql} ilike ${pattern}`)
}

/** A condition on a property as one on the rows of the list. */
function ofList({ within }: ValueProperty, condition: Expression<SqlBool>): Expression<SqlBool> {
  return within ? within(condition) : condition
}

function equals(name: string, property: FilterProperty, value: Value): Expression<SqlBool> {
  if (typeof value === 'object') return refuse(`${name}: eq and ne take one value`)
  switch (property.type) {
    case 'boolean':
      return is(property, toBoolean(name, value))
    case 'number':
      return sql<SqlBool>`${property.sql} = ${toNumber(name, value)}::double precision`
    case 'time':
      return sql<SqlBool>`${property.sql} = ${toTime(name, value)}`
    case 'text-array':
      return sql<SqlBool>`${String(value)} = any(${property.sql})`
    case 'text':
      return ofList(property, sql<SqlBool>`${property.sql} = ${String(value)}`)
    case 'group':
      return property.has(String(value)) ?? refuse(`${name}: the value must be ${property.values ?? 'an id'}`)
  }
}

/** Inlined rather than bound: with a parameter PostgreSQL could not use partial indexes on the property. */
function is({ sql: property }: ValueProperty, value: boolean): Expression<SqlBool> {
  return value ? sql<SqlBool>`${property}` : sql<SqlBool>`not ${property}`
}

function compare(
  name: string,
  property: FilterProperty,
  value: Value,
  operator: RawBuilder<unknown>,
): Expression<SqlBool> {
  if (property.type === 'number') {
    return sql<SqlBool>`${property.sql} ${operator} ${toNumber(name, value)}::double precision`
  }
  if (property.type === 'time') return sql<SqlBool>`${property.sql} ${operator} ${toTime(name, value)}`
  return refuse(`gt and lt are for numbers and times; ${name} is a ${property.type}`)
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  '1': true,
  false: false,
  f: false,
  '0': false,
}

function toBoolean(name: string, value: Value): boolean {
  const text = String(value).toLowerCase()
  return Object.hasOwn(BOOLEANS, text) ? (BOOLEANS[text] ?? false) : refuse(`${name}: the value must be true or false`)
}

function toNumber(name: string, value: Value): number {
  const number = typeof value === 'object' || value === '' || typeof value === 'boolean' ? Number.NaN : Number(value)
  return Number.isFinite(number) ? number : refuse(`${name}: the value must be a number`)
}

/** PostgreSQL has no times before 4713 BC. */
const OLDEST_TIME = Date.UTC(-4712, 0)

/** RFC 3339 text, or seconds since the epoch. */
function toTime(name: string, value: Value): Date {
  const time =
    typeof value === 'string' && !/^\d+$/.test(value) ? new Date(value) : new Date(toNumber(name, value) * 1_000)
  return time.getTime() >= OLDEST_TIME ? time : refuse(`${name}: the value must be a time`)
}

function join(conditions: readonly Expression<SqlBool>[], operator: 'and' | 'or'): Expression<SqlBool> {
  const [first] = conditions
  if (first && conditions.length === 1) return first
  return sql<SqlBool>`(${sql.join(conditions, operator === 'and' ? sql` and ` : sql` or `)})`
}

function refuse(rule: string): never {
  throw new BowlineError('INVALID_FILTER', { rule }, ['filter'])
}

/** Pattern of `like` for what contains a text. */
export function containing(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
}
