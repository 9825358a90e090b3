// Examples for the OpenAPI document: a value for every schema, generated from the schema itself and a table of words.
// Deterministic, so that the written documents are stable.
import { UID, UUID, WORDS } from './example-words.ts'

export type Json = { readonly [key: string]: unknown }

/**
 * Generates a realistic value for a JSON Schema.
 * @param schema as in the OpenAPI document; references are looked up in `components`
 * @param owner the noun of the call
 * @param field the property name; '' for a whole body
 */
export function jsonExample(schema: Json, components: Json, owner: string, field = ''): unknown {
  const { $ref, anyOf, oneOf } = schema as { $ref?: string; anyOf?: Json[]; oneOf?: Json[] }
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1)
    return WORDS[name] ?? jsonExample((components[name] ?? {}) as Json, components, name, '')
  }
  const word = [WORDS[`${owner}.${field}`], WORDS[field]].find((value) => value !== undefined && takes(schema, value))
  if (word !== undefined) return word
  if ('const' in schema) return schema['const']
  if (Array.isArray(schema['enum'])) return schema['enum'][0]
  const choices = schema['properties'] ? undefined : (anyOf ?? oneOf)
  if (choices) {
    const best = choices.find((choice) => choice['type'] !== 'null' && choice['const'] !== '') ?? choices[0] ?? {}
    return jsonExample(best, components, owner, field)
  }
  switch (typeOf(schema)) {
    case 'object':
      return objectOf(schema, components, owner)
    case 'array':
      return [jsonExample((schema['items'] ?? {}) as Json, components, owner, field)]
    case 'string':
      return textOf(schema)
    case 'integer':
    case 'number':
      return Math.max(0, Number(schema['minimum'] ?? 0))
    case 'boolean':
      return true
    default:
      return {}
  }
}

/** Schemas of values that may be null name two types. */
function typeOf({ type }: Json): unknown {
  return Array.isArray(type) ? type.find((one) => one !== 'null') : type
}

/** For ids under names that are not in the table: the first that matches the pattern. */
const ID_TEXTS = ['text', '00112233445566778899aabbccddeeff', UUID, UID]

function textOf(schema: Json): string {
  if (schema['format'] === 'date-time') return '2026-01-15T09:30:00Z'
  const given = schema['default']
  if (typeof given === 'string') return given
  return ID_TEXTS.find((text) => takes(schema, text)) ?? ''
}

function objectOf(schema: Json, components: Json, owner: string): unknown {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Json>>
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, jsonExample(property, components, owner, name)]),
  )
}

/** Whether a value of the table matches the schema, as far as these keywords are concerned. */
function takes(schema: Json, value: unknown): boolean {
  const {
    anyOf,
    enum: words,
    pattern,
    format,
    items,
    maxLength,
  } = schema as {
    anyOf?: Json[]
    enum?: unknown[]
    pattern?: string
    format?: string
    items?: Json
    maxLength?: number
  }
  const type = typeOf(schema)
  if (anyOf) return anyOf.some((choice) => takes(choice, value))
  if ('const' in schema) return schema['const'] === value
  if (words) return words.includes(value)
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value) && value.every((item) => takes(items ?? {}, item))
  if (type === 'integer' || type === 'number') return typeof value === 'number'
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  if (type !== 'string' || typeof value !== 'string') return false
  if (format === 'date-time') return /^\d{4}-\d\d-\d\dT/.test(value)
  if (value.length > (maxLength ?? value.length)) return false
  return pattern === undefined || new RegExp(pattern).test(value)
}
