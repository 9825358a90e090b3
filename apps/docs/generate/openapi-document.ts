// The part of an OpenAPI 3.1 document, as the contract writes it, that the pages use.
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly format?: string
  readonly pattern?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: Schema
  readonly example?: unknown
}

interface Content {
  readonly schema?: Schema
  readonly example?: unknown
}

export interface OperationObject {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description: string
  readonly deprecated?: boolean
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string
        readonly headers?: Readonly<Record<string, { readonly description: string }>>
        readonly content?: Readonly<Record<string, Content>>
      }
    >
  >
}

export interface DocumentedOperation extends OperationObject {
  readonly slug: string
  readonly method: string
  readonly path: string
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly examples: Readonly<Record<string, { readonly value: { readonly message: string } }>>
  }
}

/** `apiKeys.create` → `api-keys-create`. */
export function slugOf(operationId: string): string {
  return operationId
    .replace('.', '-')
    .replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replaceAll('--', '-')
}

/** Resolves the reference of a schema. */
export function resolved(schema: Schema, document: OpenApi): Schema {
  const name = schema.$ref?.replace('#/components/schemas/', '')
  return name === undefined ? schema : (document.components.schemas[name] ?? {})
}

/** Describes a schema: `string, 3 to 20 characters`. */
export function describeSchema(schema: Schema, document: OpenApi): string {
  const { $ref, enum: values, anyOf, oneOf } = schema
  if ($ref) return $ref.replace('#/components/schemas/', '')
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (values) return values.map((value) => `\`${String(value)}\``).join(', ')
  const choices = anyOf ?? oneOf
  if (choices) return choices.map((choice) => describeSchema(choice, document)).join(' or ')
  const type = Array.isArray(schema.type) ? schema.type.join(' or ') : (schema.type ?? 'any')
  const of = schema.items ? ` of ${describeSchema(schema.items, document)}` : ''
  return [`${String(type)}${of}`, ...limitsOf(schema)].join(', ')
}

function limitsOf(schema: Schema): string[] {
  const { format, default: fallback, minLength, maxLength, minimum, maximum, minItems, maxItems } = schema
  const limits: string[] = []
  if (format) limits.push(format)
  const range = (least: number | undefined, most: number | undefined, unit: string): void => {
    // Omit the bounds that JSON Schema states for every integer.
    const high = most !== undefined && most < Number.MAX_SAFE_INTEGER ? most : undefined
    const low = least !== undefined && least > Number.MIN_SAFE_INTEGER ? least : undefined
    if (low !== undefined && high !== undefined) limits.push(`${low} to ${high}${unit}`)
    else if (high !== undefined) limits.push(`at most ${high}${unit}`)
    else if (low !== undefined) limits.push(`at least ${low}${unit}`)
  }
  range(minLength, maxLength, ' characters')
  range(minimum, maximum, '')
  range(minItems, maxItems, ' items')
  if (fallback !== undefined) limits.push(`default \`${JSON.stringify(fallback).replaceAll('"', '')}\``)
  return limits
}
