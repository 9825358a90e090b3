// Tests that the OpenAPI document is valid for tools and agrees with the operations.
import { createPublicKey } from 'node:crypto'
import { WORDS } from './example-words.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ERRORS } from './errors.ts'
import { errorCodesOf, openApiDocument } from './openapi.ts'
import { type Operation, pathParameters } from './operation.ts'
import { allOperations, operations } from './operations.ts'

/** The parts of OpenAPI 3.1 that tools require. */
const Parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query']),
  required: z.boolean(),
  schema: z.looseObject({}),
  example: z.unknown().optional(),
})
const Media = z.strictObject({
  schema: z.looseObject({}),
  example: z.unknown().optional(),
  examples: z.record(z.string(), z.strictObject({ $ref: z.string() })).optional(),
})
const Content = z.record(z.string(), Media)
const Response = z.object({
  description: z.string().min(1),
  headers: z.record(z.string(), z.looseObject({ description: z.string(), schema: z.looseObject({}) })).optional(),
  content: Content.optional(),
})
const PathOperation = z.looseObject({
  operationId: z.string().regex(/^[\w.]+$/),
  tags: z.array(z.string()).length(1),
  summary: z.string().min(1),
  security: z.array(z.union([z.strictObject({ bearer: z.tuple([]) }), z.strictObject({ apiKey: z.tuple([]) })])),
  parameters: z.array(Parameter).optional(),
  requestBody: z.object({ required: z.boolean(), content: Content }).optional(),
  responses: z.record(z.string().regex(/^[1-5]\d\d$/), Response),
})
const Document = z.object({
  openapi: z.string().regex(/^3\.1\.\d$/),
  info: z.object({ title: z.string(), version: z.string() }).loose(),
  paths: z.record(
    z.string().startsWith('/'),
    z.record(z.string().regex(/^(get|post|put|patch|delete)$/), PathOperation),
  ),
  components: z.object({
    examples: z.record(
      z.string(),
      z.strictObject({ summary: z.string(), value: z.object({ message: z.string() }).loose() }),
    ),
    schemas: z.record(z.string().regex(/^[\w.-]+$/), z.looseObject({})),
    securitySchemes: z.record(z.string(), z.looseObject({ type: z.string() })),
  }),
})

const raw = openApiDocument('v0.0.0')
const document = Document.parse(JSON.parse(JSON.stringify(raw)))
const published = allOperations().filter(({ operation }) => operation.access.kind !== 'internal')
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
function find({ method, path }: Operation) {
  const entry = document.paths[path]?.[method.toLowerCase()]
  if (!entry) throw new Error(`${method} ${path} is not described`)
  return entry
}

/** Every `$ref` in a value. */
function refs(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) => (key === '$ref' ? [String(part)] : refs(part)))
}

describe('the OpenAPI document', () => {
  it('references exactly its components', () => {
    const { schemas, examples } = document.components
    const names = (part: string, of: object) => Object.keys(of).map((name) => `#/components/${part}/${name}`)
    const all = [...names('schemas', schemas), ...names('examples', examples)]
    expect([...new Set(refs(raw))].toSorted()).toEqual(all.toSorted())
  })

  it.each(published)('has examples of $id that match its schemas', ({ operation }) => {
    const { requestBody, responses, parameters = [] } = find(operation)
    const body = requestBody?.content['application/json']?.example
    const [success] = Object.values(responses[String(operation.status ?? 200)]?.content ?? {})
    const inPath = parameters.filter((one) => one.in === 'path').map(({ name, example }) => [name, example])
    const parse = (schema: z.ZodType | undefined, value: unknown) => (schema ?? z.undefined()).safeParse(value)
    expect(parse(operation.body, body)).toMatchObject({ success: true })
    expect(parse(operation.response, success?.example)).toMatchObject({ success: true })
    expect(parse(operation.params ?? z.strictObject({}), Object.fromEntries(inPath))).toMatchObject({ success: true })
    expect([body === undefined, success?.example === undefined]).toEqual([!operation.body, !operation.response])
  })

  it.each(published)('has an example of each failure of $id', ({ operation }) => {
    const { responses } = find(operation)
    for (const code of errorCodesOf(operation)) {
      const { status } = ERRORS[code]
      const bare = operation.fieldNames && (status === 400 || status === 409)
      const { example, examples = {} } = responses[String(status)]?.content?.['application/json'] ?? {}
      const reference = { $ref: `#/components/examples/${code}` }
      expect([code, bare ? example : examples[code]]).toEqual([code, bare ? ['username'] : reference])
      const { value } = document.components.examples[code] ?? {}
      expect(value).toMatchObject({ code, message: expect.not.stringMatching(/[{}]/) })
    }
  })

  it('gives every operation and alias a unique id', () => {
    const ids = described.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('describes every published operation under each of its paths, and nothing else', () => {
    const expected = published.flatMap(({ operation: { method, path, aliases = [] } }) =>
      [path, ...aliases].map((one) => `${method} ${one}`),
    )
    expect(new Set(expected).size).toBe(expected.length)
    const found = described.map(({ path, method }) => `${method.toUpperCase()} ${path}`)
    expect(found.toSorted()).toEqual(expected.toSorted())
  })

  it.each(published)('describes $id as its operation does', ({ operation }) => {
    const entry = find(operation)
    const inPath = (entry.parameters ?? []).filter((parameter) => parameter.in === 'path')
    expect(inPath.map(({ name }) => name).toSorted()).toEqual(pathParameters(operation.path).toSorted())
    expect(inPath.every(({ required }) => required)).toBe(true)
    expect(entry.requestBody === undefined).toBe(operation.body === undefined)
    expect(entry.security.length > 0).toBe(operation.access.kind !== 'public')
    const keys = operation.access.kind === 'member' && operation.access.keys
    expect(entry.security.some((scheme) => 'apiKey' in scheme)).toBe(keys)
    const success = entry.responses[String(operation.status ?? 200)]
    expect(success?.content === undefined).toBe(operation.response === undefined)
    expect(success?.headers?.['X-Total-Count'] !== undefined).toBe(operation.total === true)
    for (const code of errorCodesOf(operation)) {
      expect(entry.responses[String(ERRORS[code].status)]?.description).toContain(code)
    }
  })

  it('declares the parameters of each path in its schema', () => {
    for (const { operation } of allOperations()) {
      const names = operation.params instanceof z.ZodObject ? Object.keys(operation.params.shape) : []
      expect(names.toSorted()).toEqual(pathParameters(operation.path).toSorted())
    }
  })

  it('describes the bare list of field names where existing clients read it', () => {
    const listed = published.filter(({ operation }) => operation.fieldNames)
    expect(listed.map(({ id }) => id)).toContain('users.update')
    for (const { operation } of listed) {
      const content = find(operation).responses['400']?.content?.['application/json']
      expect(content?.schema).toEqual({ type: 'array', items: { type: 'string' } })
    }
  })

  it('omits generator-specific keywords from its components', () => {
    expect(Object.entries(document.components.schemas).filter(([, schema]) => 'id' in schema)).toEqual([])
  })

  it('has no pattern with Unicode classes, which generators of clients do not read', () => {
    const patterns = [...JSON.stringify(raw).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g)].map(([, text = '']) => text)
    expect(patterns.length).toBeGreaterThan(50)
    expect(patterns.filter((text) => text.includes(String.raw`\\p{`))).toEqual([])
  })

  it('requires one of the ways in which a rule names its devices', () => {
    expect(document.components.schemas['DeviceFilter']).toMatchObject({
      oneOf: [{ required: ['hostname'] }, { required: ['tags'] }],
    })
  })

  it('names the required permission and the roles that have it', () => {
    expect(find(operations.devices.remove)).toMatchObject({
      'x-permission': 'deviceRemove',
      'x-roles': ['administrator', 'owner'],
      'x-scope': 'devices:write',
      description: 'Role: administrator, owner. API keys may call too; a limited one needs the scope devices:write.',
    })
    expect(find(operations.apiKeys.create)).toMatchObject({
      description: 'Role: administrator, owner. API keys may not call.',
    })
  })

  it('contains only the calls of its edition', () => {
    const paths = (edition: 'community' | 'cloud') => Object.keys(openApiDocument('v0.0.0', edition)['paths'] ?? {})
    const cloudOnly = published.filter(({ operation }) => operation.cloudOnly).map(({ operation }) => operation.path)
    expect(cloudOnly.length).toBeGreaterThan(0)
    expect(paths('community').filter((path) => cloudOnly.includes(path))).toEqual([])
    expect(paths('cloud').toSorted()).toEqual(Object.keys(document.paths).toSorted())
    expect(paths('community')).toContain('/api/devices')
    expect(JSON.stringify(openApiDocument('v0.0.0', 'cloud'))).not.toContain('"description":"EDITION')
  })

  it('renders one operation in full', () => {
    const { responses, ...rest } = find(operations.devices.setStatus)
    expect(rest).toMatchObject({
      operationId: 'devices.setStatus',
      tags: ['devices'],
      summary: 'Accept or reject a device, or put it back to pending',
      security: [{ bearer: [] }, { apiKey: [] }],
      parameters: [
        { name: 'uid', in: 'path', required: true, schema: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
        {
          name: 'status',
          in: 'path',
          required: true,
          schema: { type: 'string', enum: ['accept', 'reject', 'pending', 'unused'] },
          example: 'accept',
        },
      ],
    })
    expect(
      Object.fromEntries(Object.entries(responses).map(([status, { description }]) => [status, description])),
    ).toEqual({
      200: 'Accept or reject a device, or put it back to pending',
      400: 'DEVICE_STATUS_FINAL, INVALID_INPUT',
      401: 'UNAUTHORIZED',
      402: 'PAYMENT_REQUIRED',
      403: 'FRESH_PROOF_REQUIRED, DEVICE_REPLACES, DEVICE_LIMIT, NAMESPACE_FULL, NO_NAMESPACE, NAMESPACE_DISABLED, FORBIDDEN, SCOPE_REQUIRED, ORIGIN_REFUSED',
      404: 'NOT_FOUND',
      409: 'DEVICE_NAME_TAKEN',
      413: 'BODY_TOO_LARGE',
      421: 'HOST_REFUSED',
      429: 'TOO_MANY_REQUESTS',
      500: 'INTERNAL',
      503: 'UNAVAILABLE',
    })
  })
})

describe('the examples of the document', () => {
  it('contain real keys that the calls accept', () => {
    expect(createPublicKey(String(WORDS['public_key'])).asymmetricKeyType).toBe('ed25519')
    const [type, wire = ''] = Buffer.from(String(WORDS['data']), 'base64').toString().split(' ')
    expect([type, Buffer.from(wire, 'base64').length]).toEqual(['ssh-ed25519', 51])
  })

  it('mark the body optional where an empty one is accepted', () => {
    const { paths } = openApiDocument('1') as {
      paths: Record<string, Record<string, { requestBody?: { required: boolean } }>>
    }
    expect(paths['/api/users']?.['patch']?.requestBody?.required).toBe(false)
    expect(paths['/api/login']?.['post']?.requestBody?.required).toBe(true)
  })
})
