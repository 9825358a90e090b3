// OpenAPI 3.1 from the operations: paths, parameters, bodies, answers, failures. Nothing is written twice.
import * as z from 'zod'
import { ERRORS, type ErrorCode } from './errors.ts'
import type { Access, Operation } from './operation.ts'
import { allOperations } from './operations.ts'
import { PERMISSIONS } from './roles.ts'

type Json = { [key: string]: unknown }

/** Documents: everything, what a self-hosted server answers, and what the hosted service answers. */
export type DocumentEdition = 'every' | 'community' | 'cloud'
const TITLES = { every: 'Bowline', community: 'Bowline, community edition', cloud: 'Bowline, cloud edition' } as const

/**
 * The OpenAPI document of this API.
 * @param version of the product
 * @param edition leaves out the calls that the edition does not have
 */
export function openApiDocument(version: string, edition: DocumentEdition = 'every'): Json {
  const components: Json = {}
  const paths: Record<string, Json> = {}
  for (const { id, operation: declared } of allOperations()) {
    if (declared.access.kind === 'internal' || (declared.cloudOnly && edition === 'community')) continue
    const operation = edition === 'cloud' ? inCloud(declared) : declared
    for (const [index, path] of [operation.path, ...(operation.aliases ?? [])].entries()) {
      const entry = (paths[path] ??= {})
      entry[operation.method.toLowerCase()] = describe(index === 0 ? id : `${id}.alias${index}`, operation, components)
    }
  }
  return {
    openapi: '3.1.0',
    info: { title: TITLES[edition], version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
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
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
      },
    },
  }
}

/** There, no call is of another edition. */
function inCloud(declared: Operation): Operation {
  const { cloudOnly: _, ...operation } = declared
  return operation
}

function describe(id: string, operation: Operation, components: Json): Json {
  const parameters = [
    ...parametersOf('path', operation.params, components),
    ...parametersOf('query', operation.query, components),
  ]
  const success: Json = { description: operation.summary }
  const headers: Json = {}
  if (operation.total) headers['X-Total-Count'] = { description: 'Total of the list', schema: { type: 'integer' } }
  for (const [name, description] of Object.entries(operation.headers ?? {})) {
    headers[name] = { description, schema: { type: 'string' } }
  }
  if (Object.keys(headers).length) success['headers'] = headers
  if (operation.response) {
    const type = operation.stream ? 'text/event-stream' : 'application/json'
    success['content'] = { [type]: { schema: jsonSchema(operation.response, 'output', components) } }
  }
  return {
    operationId: id,
    tags: [operation.noun],
    summary: operation.summary,
    description: describeAccess(operation),
    ...permissionOf(operation.access),
    security: securityOf(operation.access),
    ...(parameters.length ? { parameters } : {}),
    ...(operation.body
      ? {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: jsonSchema(operation.body, 'input', components) } },
          },
        }
      : {}),
    responses: { [String(operation.status ?? 200)]: success, ...failuresOf(operation) },
  }
}

/** Every failure a call can answer: its own, and what its access and input imply. */
export function errorCodesOf(operation: Operation): ErrorCode[] {
  const codes = new Set<ErrorCode>(operation.errors)
  const { access } = operation
  // To everybody else an internal call does not exist.
  if (access.kind === 'internal') codes.add('ROUTE_NOT_FOUND')
  else if (access.kind !== 'public') codes.add('UNAUTHORIZED')
  if (access.kind === 'user') codes.add('USER_TOKEN_REQUIRED')
  if (access.kind === 'member') {
    codes.add('NO_NAMESPACE')
    if (access.permission) codes.add('FORBIDDEN')
    if (!access.keys) codes.add('USER_TOKEN_REQUIRED')
  }
  if (operation.params || operation.query || operation.body) codes.add('INVALID_INPUT')
  if (operation.body) {
    for (const code of ['UNREADABLE_BODY', 'UNSUPPORTED_MEDIA_TYPE'] as const) codes.add(code)
  }
  if (operation.notYet) codes.add('NOT_WORKING_YET')
  if (operation.cloudOnly) codes.add('EDITION')
  // Calls without a body do not look at one, but do not read it without end either.
  if (operation.method !== 'GET') codes.add('BODY_TOO_LARGE')
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
      const example = list ? ['username'] : exampleOf(codes[0])
      return [status, { description: codes.join(', '), content: { 'application/json': { schema, example } } }]
    }),
  )
}

/** A body of that failure; words in braces stand for what the call fills in. */
function exampleOf(code: ErrorCode | undefined): Json {
  return code ? { message: ERRORS[code].message, code } : {}
}

/** Who may call, in sentences. */
function describeAccess({ access, cloudOnly, notYet }: Operation): string {
  const sentences = [whoMayCall(access)]
  if (cloudOnly) sentences.push('Exists in the cloud edition only.')
  if (notYet) sentences.push('Does not work yet: answers 501 after the same checks.')
  return sentences.join(' ')
}

function whoMayCall(access: Access): string {
  switch (access.kind) {
    case 'public':
      return 'Needs no credential.'
    case 'user':
      return 'For signed-in users, with or without a namespace; not with an API key.'
    case 'device':
      return 'With the token of a device.'
    case 'internal':
      return 'For other parts of the platform.'
    case 'member': {
      const roles = access.permission ? PERMISSIONS[access.permission].join(', ') : 'any member of the namespace'
      return `Role: ${roles}. API keys ${access.keys ? 'may call too' : 'may not call'}.`
    }
  }
}

/** The permission of the table of roles that the call asks for. */
function permissionOf(access: Access): Json {
  return access.kind === 'member' && access.permission ? { 'x-permission': access.permission } : {}
}

function securityOf(access: Access): Json[] {
  if (access.kind === 'public') return []
  return access.kind === 'member' && access.keys ? [{ bearer: [] }, { apiKey: [] }] : [{ bearer: [] }]
}

function parametersOf(place: 'path' | 'query', schema: z.ZodType | undefined, components: Json): Json[] {
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
  }))
}

/** JSON Schema of a zod schema; named schemas move to `components` and are referred to. */
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

/** The name is the component's key; `id` is no keyword of JSON Schema. */
function withoutId(named: Json): Json {
  const { id: _, ...schema } = named
  return schema
}
