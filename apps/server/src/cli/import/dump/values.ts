// Values of a dump as what they are: PostgreSQL writes all of them as text.

/** One more is kept of longer lists, which are refused for it. */
const MOST_ITEMS = 64

/** @returns '' for what is no text; the text of a `bytea` that has one */
export function textOf(value: unknown): string {
  if (typeof value !== 'string') return typeof value === 'number' ? String(value) : ''
  return /^\\x(?:[0-9a-f]{2})+$/.test(value) ? Buffer.from(value.slice(2), 'hex').toString('utf8') : value
}

export function isTrue(value: unknown): boolean {
  return value === true || (typeof value === 'string' && /^(t|true|1|yes)$/i.test(value))
}

/** @returns undefined for what is no whole number */
export function wholeOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined
}

/** A time as RFC 3339. @returns '' for what is none, such as `infinity` */
export function timeOf(value: unknown): string {
  const match = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d(?::?\d\d)?)?$/.exec(textOf(value))
  if (!match) return ''
  const [, day, time, fraction = '', zone = 'Z'] = match
  const offset = zone === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`
  const at = Date.parse(`${day}T${time}${fraction.slice(0, 4)}${offset}`)
  return Number.isNaN(at) ? '' : new Date(at).toISOString()
}

/** A list that is an array of PostgreSQL, or JSON; its items may be objects with a name. */
export function listOf(value: unknown): string[] {
  const items = typeof value === 'string' ? itemsOf(value) : value
  if (!Array.isArray(items)) return []
  return items.slice(0, MOST_ITEMS + 1).flatMap((item: unknown) => {
    if (typeof item === 'string') return [item]
    const name = typeof item === 'object' && item !== null && 'name' in item ? item.name : undefined
    return typeof name === 'string' ? [name] : []
  })
}

/** https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO, of one dimension. */
function itemsOf(text: string): unknown {
  if (text.startsWith('[')) {
    try {
      return JSON.parse(text)
    } catch {
      return []
    }
  }
  if (!/^\{.*\}$/s.test(text)) return []
  const items = text.slice(1, -1).matchAll(/"((?:[^"\\]|\\[^])*)"|([^,{}"]+)/g)
  return [...items].flatMap(([, quoted, plain]) => {
    if (quoted !== undefined) return [quoted.replaceAll(/\\([^])/g, '$1')]
    return plain === undefined || plain === 'NULL' ? [] : [plain]
  })
}

/** Lower-case text, by which ids are compared: a UUID may be written both ways. */
export function idOf(value: unknown): string {
  return textOf(value).toLowerCase()
}
