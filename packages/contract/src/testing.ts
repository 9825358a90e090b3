// Test inputs generated from the contract, for tests over every operation: values that match a schema, and values that
// nearly do.
import {
  type Arbitrary,
  anything,
  array,
  boolean,
  constant,
  constantFrom,
  dictionary,
  double,
  emailAddress,
  integer,
  ipV4,
  oneof,
  record,
  sample,
  string,
  stringMatching,
  tuple,
  uuid,
} from 'fast-check'
import * as z from 'zod'

interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

/** Values that match the schema as far as JSON Schema can express it; refinements may still reject one. */
export function fitting(schema: z.ZodType): Arbitrary<unknown> {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  return valueOf(json, json.$defs ?? {})
}

/**
 * One value that the schema accepts, the same for the same seed.
 * @throws {Error} when none of a hundred is accepted: supply an example by hand then
 */
export function example(schema: z.ZodType, seed = 1): unknown {
  const found = sample(fitting(schema), { seed, numRuns: 100 }).find((value) => schema.safeParse(value).success)
  if (found === undefined) throw new Error(`no example of ${JSON.stringify(z.toJSONSchema(schema, { io: 'input' }))}`)
  return found
}

/** Values that an honest mistake or an attacker would send: valid ones, mutated ones, and arbitrary ones. */
export function nearly(schema: z.ZodType): Arbitrary<unknown> {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const value = valueOf(json, json.$defs ?? {})
  const names = Object.keys(json.properties ?? {})
  const odd = oneof(awkwardText, integer(), double(), boolean(), constant(null), array(awkwardText), constant({}))
  const changed = names.length
    ? tuple(value, constantFrom(...names), odd).map(([whole, name, part]) => ({ ...asObject(whole), [name]: part }))
    : value
  const extended = tuple(value, dictionary(awkwardText, odd, { maxKeys: 3 })).map(([whole, more]) => ({
    ...asObject(whole),
    ...more,
  }))
  return oneof({ weight: 4, arbitrary: changed }, value, extended, odd, jsonValue)
}

// oxfmt-ignore
const AWKWARD = [
  '', '0', '-1', '1e9', 'null', 'undefined', 'NaN', '__proto__', 'constructor', 'toString', '..', '.', '%00',
  '\0', '\u{d800}', '\r\nX-Injected: 1', "' or 1=1 --", '$(id)', '${7*7}', '😀'.repeat(100), 'a'.repeat(5_000),
  '9'.repeat(400), '٣', '\u202e', '../../etc/passwd', '[[', '(a+)+$', 'W3sidHlwZSI6Im9wZXJhdG9yIn1d',
]

/** Text that trips up parsers, databases and shells. */
export const awkwardText: Arbitrary<string> = oneof(string(), string({ unit: 'binary' }), constantFrom(...AWKWARD))

const jsonValue = anything({ maxDepth: 3 }).filter((value) => JSON.stringify(value) !== undefined)

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}

type Definitions = Readonly<Record<string, JsonSchema>>

function valueOf(schema: JsonSchema, definitions: Definitions): Arbitrary<unknown> {
  const { $ref, anyOf, oneOf, allOf, enum: words } = schema
  if ($ref !== undefined) return valueOf(definitions[$ref.replace('#/$defs/', '')] ?? {}, definitions)
  if ('const' in schema) return constant(schema.const)
  if (words) return constantFrom(...words)
  const choices = anyOf ?? oneOf
  if (choices) {
    // Of an object with properties of its own, each choice says only what else it requires.
    const { anyOf: _, oneOf: __, ...own } = schema
    return oneof(...choices.map((choice) => valueOf(schema.properties ? { ...own, ...choice } : choice, definitions)))
  }
  if (allOf)
    return tuple(...allOf.map((part) => valueOf(part, definitions))).map((parts) => Object.assign({}, ...parts))
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'string':
      return textOf(schema)
    case 'integer':
    case 'number':
      return numberOf(schema)
    case 'boolean':
      return boolean()
    case 'null':
      return constant(null)
    case 'array':
      return listOf(schema, definitions)
    case 'object':
      return objectOf(schema, definitions)
    default:
      return jsonValue
  }
}

function textOf({ format, pattern, minLength = 0, maxLength }: JsonSchema): Arbitrary<string> {
  if (format === 'email') return emailAddress({ size: '-1' })
  if (format === 'uuid') return uuid()
  if (format === 'ipv4') return ipV4()
  if (format === 'ipv6') return constantFrom('2001:db8::1', '::1', 'fe80::1')
  // Of documentation: no server dials it.
  if (format === 'uri') return constant('https://203.0.113.7/')
  if (format === 'date-time') return constant('2026-11-20T10:00:00Z')
  const fits = (text: string): boolean =>
    text.length >= minLength && (maxLength === undefined || text.length <= maxLength)
  if (pattern === undefined) {
    return string({ unit: 'grapheme-ascii', minLength, maxLength: Math.min(maxLength ?? 64, minLength + 64) })
  }
  return stringMatching(new RegExp(pattern), { size: minLength > 3 ? '+1' : 'small' }).filter(fits)
}

function numberOf({ type, minimum, maximum, exclusiveMinimum }: JsonSchema): Arbitrary<number> {
  const min = Math.max(minimum ?? -1_000_000, exclusiveMinimum === undefined ? -1_000_000 : exclusiveMinimum + 1)
  const max = Math.min(maximum ?? 1_000_000, 2_147_483_647)
  return type === 'integer' ? integer({ min, max }) : double({ min, max, noNaN: true })
}

function listOf({ items, minItems = 0, maxItems = 3 }: JsonSchema, definitions: Definitions): Arbitrary<unknown> {
  return array(valueOf(items ?? {}, definitions), {
    minLength: minItems,
    maxLength: Math.max(minItems, Math.min(maxItems, 3)),
  })
}

function objectOf({ properties = {}, required = [] }: JsonSchema, definitions: Definitions): Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, valueOf(property, definitions)]),
  )
  return record(fields, { requiredKeys: Object.keys(fields).filter((name) => required.includes(name)) })
}
