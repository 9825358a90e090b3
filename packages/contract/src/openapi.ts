// Generates OpenAPI 3.1 from the operations: paths, parameters, bodies, responses, failures.
import * as z from 'zod'
import { BowlineError, ERRORS, type ErrorCode } from './errors.ts'
import { jsonExample } from './json-example.ts'
import type { Access, Operation } from './operation.ts'
import { allOperations } from './operations.ts'
import { PERMISSIONS, ROLES } from './roles.ts'
import { scopeOf } from './scopes.ts'

type Json = { [key: string]: unknown }

/** Documents: everything, the self-hosted server's API, and the hosted service's API. */
export type DocumentEdition = 'every' | 'community' | 'cloud'
const TITLES = { every: 'Bowline', community: 'Bowline, community edition', cloud: 'Bowline, cloud edition' } as const

/**
 * The OpenAPI document of this API.
 * @param version of the product
 * @param edition omits the calls that the edition does not have
 */
export function openApiDocument(version: string, edition: DocumentEdition = 'every'): Json {
  const components: Json = {}
  const paths: Record<string, Json> = {}
  const nouns = new Set<string>()
  const codes = new Set<ErrorCode>()
  for (const { id, operation: declared } of allOperations()) {
    if (declared.access.kind === 'internal' || (declared.cloudOnly && edition === 'community')) continue
    const operation = edition === 'cloud' ? inCloud(declared) : declared
    nouns.add(operation.noun)
    for (const code of errorCodesOf(operation)) codes.add(code)
    for (const [index, path] of [operation.path, ...(operation.aliases ?? [])].entries()) {
      const entry = (paths[path] ??= {})
      entry[operation.method.toLowerCase()] = describe(index === 0 ? id : `${id}.alias${index}`, operation, components)
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: TITLES[edition],
      version,
      description: 'Text must not contain U+0000 or unpaired surrogates: it is refused with 422.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The server that this document comes from' }],
    tags: [...nouns].map((name) => ({ name, description: `Calls of ${name}` })),
    paths,
    components: {
      schemas: {
        ...components,
        Error: {
          type: 'object',
          required: ['message'],
          properties: {
            message: { type: 'string' },
            code: { type: 'string', enum: Object.keys(ERRORS) },
            fields: { type: 'array', items: { type: 'string' } },
          },
        },
      },
      examples: Object.fromEntries([...codes].map((code) => [code, { summary: code, value: errorExample(code) }])),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  }
}

/** In the hosted service no call belongs to another edition. */
function inCloud(declared: Operation): Operation {
  const { cloudOnly: _, ...operation } = declared
  return operation
}

function describe(id: string, operation: Operation, components: Json): Json {
  const parameters = [...parametersOf('path', operation, components), ...parametersOf('query', operation, components)]
  const success: Json = { description: operation.summary }
  const headers: Json = {}
  if (operation.total) headers['X-Total-Count'] = { description: 'Total of the list', schema: { type: 'integer' } }
  for (const [name, description] of Object.entries(operation.headers ?? {})) {
    headers[name] = { description, schema: { type: 'string' } }
  }
  if (Object.keys(headers).length) success['headers'] = headers
  if (operation.response) {
    const type = operation.stream ? 'text/event-stream' : 'application/json'
    const schema = jsonSchema(operation.response, 'output', components)
    const example = jsonExample(schema, components, operation.noun)
    // For a stream: the `data:` of each event.
    const lines = operation.jsonLines ? { 'application/jsonl': { schema: schema['items'] } } : {}
    const plain = operation.asText ? { 'text/plain': { schema: { type: 'string' } } } : {}
    const table = operation.asCsv ? { 'text/csv': { schema: { type: 'string' } } } : {}
    success['content'] = { [type]: { schema, example }, ...lines, ...plain, ...table }
  }
  return {
    operationId: id,
    tags: [operation.noun],
    summary: operation.summary,
    description: describeAccess(operation),
    ...(operation.deprecated ? { deprecated: true } : {}),
    ...permissionOf(operation),
    security: securityOf(operation.access),
    ...(parameters.length ? { parameters } : {}),
    ...(operation.body
      ? {
          requestBody: {
            // A missing body is read as an empty object.
            required: !operation.body.safeParse({}).success,
            content: { 'application/json': bodyOf(operation, operation.body, components) },
          },
        }
      : {}),
    responses: { [String(operation.status ?? 200)]: success, ...failuresOf(operation) },
  }
}

/** Every failure of a call: its own, and those implied by its access and input. */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(operation.errors)
  const { access } = operation
  // Without the node secret an internal call appears not to exist.
  if (access.kind === 'internal') codes.add('ROUTE_NOT_FOUND')
  else if (access.kind !== 'public') codes.add('UNAUTHORIZED')
  if (access.kind === 'user' || access.kind === 'instance-admin') codes.add('USER_TOKEN_REQUIRED')
  if (access.kind === 'instance-admin') codes.add('INSTANCE_ADMIN_REQUIRED')
  if (access.kind === 'member') {
    codes.add('NO_NAMESPACE')
    if (!access.whileDisabled) codes.add('NAMESPACE_DISABLED')
    if (access.permission) codes.add('FORBIDDEN')
    codes.add(access.keys ? 'SCOPE_REQUIRED' : 'USER_TOKEN_REQUIRED')
  }
  if (operation.params || operation.query || operation.body) codes.add('INVALID_INPUT')
  if (operation.body) {
    for (const code of ['UNREADABLE_BODY', 'UNSUPPORTED_MEDIA_TYPE'] as const) codes.add(code)
  }
  if (operation.cloudOnly) codes.add('EDITION')
  // Calls without a body ignore it, but still limit what they read.
  if (operation.method !== 'GET') codes.add('BODY_TOO_LARGE').add('ORIGIN_REFUSED')
  codes.add('HOST_REFUSED')
  codes.add('TOO_MANY_REQUESTS')
  codes.add('INTERNAL')
  codes.add('UNAVAILABLE')
  return [...codes]
}

function failuresOf(operation: Operation): Json {
  const byStatus: Record<string, ErrorCode[]> = {}
  for (const code of errorCodesOf(operation)) (byStatus[String(ERRORS[code].status)] ??= []).push(code)
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes]) => {
      const list = operation.fieldNames && (status === '400' || status === '409')
      const schema = list ? { type: 'array', items: { type: 'string' } } : { $ref: '#/components/schemas/Error' }
      const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
      const content = list ? { schema, example: ['username'] } : { schema, examples }
      return [status, { description: codes.join(', '), content: { 'application/json': content } }]
    }),
  )
}

/** For the placeholders of messages. */
const DETAILS = {
  field: 'name',
  rule: 'must have 3 to 20 characters',
  role: 'operator',
  target: 'administrator',
  limit: 3,
  what: 'The device',
  name: 'raspberrypi',
  seconds: 1,
  edition: 'cloud',
  method: 'GET',
  path: '/api/nothing',
}

/** A response body of that failure. */
function errorExample(code: ErrorCode): Json {
  const { message } = new BowlineError(code, DETAILS)
  return { message, code, ...(ERRORS[code].message.includes('{field}') ? { fields: [DETAILS.field] } : {}) }
}

function bodyOf({ noun }: Operation, body: z.ZodType, components: Json): Json {
  const schema = jsonSchema(body, 'input', components)
  return { schema, example: jsonExample(schema, components, noun) }
}

/** Permitted callers, in sentences. */
function describeAccess(operation: Operation): string {
  const sentences = [whoMayCall(operation)]
  if (operation.cloudOnly) sentences.push('Exists in the cloud edition only.')
  return sentences.join(' ')
}

function whoMayCall(operation: Operation): string {
  const { access } = operation
  switch (access.kind) {
    case 'public':
      return 'Needs no credential.'
    case 'user':
      return 'For signed-in users, with or without a namespace; not with an API key.'
    case 'instance-admin':
      return 'For administrators of the server; not with an API key.'
    case 'device':
      return 'With the token of a device.'
    case 'internal':
      return 'For other parts of the platform.'
    case 'member': {
      const roles = access.permission ? PERMISSIONS[access.permission].join(', ') : 'any member of the namespace'
      const keys = access.keys ? `may call too; a limited one needs the scope ${scopeOf(operation)}` : 'may not call'
      return `Role: ${roles}. API keys ${keys}.`
    }
  }
}

/** The permission that the call requires, the roles that have it, and the scope that a limited API key needs. */
function permissionOf(operation: Operation): Json {
  const { access } = operation
  if (access.kind !== 'member') return {}
  const { permission } = access
  return {
    ...(permission ? { 'x-permission': permission, 'x-roles': PERMISSIONS[permission] } : { 'x-roles': ROLES }),
    ...(access.keys ? { 'x-scope': scopeOf(operation) } : {}),
  }
}

function securityOf(access: Access): Json[] {
  if (access.kind === 'public') return []
  return access.kind === 'member' && access.keys ? [{ bearer: [] }, { apiKey: [] }] : [{ bearer: [] }]
}

function parametersOf(place: 'path' | 'query', { noun, params, query }: Operation, components: Json): Json[] {
  const schema = place === 'path' ? params : query
  if (!schema) return []
  const { properties = {}, required = [] } = jsonSchema(schema, 'input', components) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema: property,
    ...(place === 'path' ? { example: jsonExample(property, components, noun, name) } : {}),
  }))
}

/** JSON Schema of a zod schema; named schemas move to `components` and are referenced. */
function jsonSchema(schema: z.ZodType, io: 'input' | 'output', components: Json): Json {
  const {
    $defs,
    $schema: _,
    ...rest
  } = JSON.parse(
    JSON.stringify(z.toJSONSchema(schema, { io, unrepresentable: 'any' })).replaceAll(
      '"#/$defs/',
      '"#/components/schemas/',
    ),
  ) as Json
  for (const [name, part] of Object.entries($defs ?? {})) components[name] = withoutId(part as Json)
  if (typeof rest['id'] !== 'string') return rest
  components[rest['id']] = withoutId(rest)
  return { $ref: `#/components/schemas/${rest['id']}` }
}

/** The name is the component's key; `id` is not a JSON Schema keyword. */
function withoutId(named: Json): Json {
  const { id: _, ...schema } = named
  return schema
}
