// Checks answers against the published OpenAPI document, as a client would: the status is documented, and body and
// headers match its schema.
import { ERRORS } from '@bowline/contract/errors'
import { errorCodesOf, openApiDocument } from '@bowline/contract/openapi'
import { type Operation, pathParameters } from '@bowline/contract/operation'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { z } from 'zod'

export interface Answer {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly text: string
}

const Reply = z.object({
  headers: z.record(z.string(), z.unknown()).default({}),
  content: z.record(z.string(), z.object({ schema: z.record(z.string(), z.unknown()) })).default({}),
})
const Document = z.object({
  paths: z.record(z.string(), z.record(z.string(), z.object({ responses: z.record(z.string(), Reply) }))),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
})
type Reply = z.infer<typeof Reply>

/** Finds the error in an answer; undefined if it is valid. */
export type Judge = (operation: Operation, answer: Answer) => string | undefined

export function createJudge(): Judge {
  const { paths, components } = Document.parse(openApiDocument('v0.0.0'))
  const ajv = new Ajv2020({ strict: false, allErrors: false })
  formats.default(ajv)
  ajv.addSchema({ $id: 'document', components })
  const compiled = new Map<object, ValidateFunction>()
  const validator = (schema: Record<string, unknown>): ValidateFunction => {
    const known = compiled.get(schema)
    if (known) return known
    const located: unknown = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components'))
    const validate = ajv.compile(z.record(z.string(), z.unknown()).parse(located))
    compiled.set(schema, validate)
    return validate
  }

  return (operation, { status, headers, text }) => {
    // Not published: only the error catalogue applies.
    if (operation.access.kind === 'internal') {
      const named = errorCodesOf(operation).some((code) => ERRORS[code].status === status)
      return named || status === (operation.status ?? 200) ? undefined : `the status ${status} is not declared`
    }
    const replies = paths[operation.path]?.[operation.method.toLowerCase()]?.responses ?? {}
    const reply = replies[String(status)] ?? unnamed(operation, status, replies)
    if (!reply) return `the status ${status} is not in the document`
    for (const name of Object.keys(reply.headers)) {
      if (headers[name.toLowerCase()] === undefined) return `there is no header ${name}`
    }
    const type = String(headers['content-type'] ?? '').split(';')[0] ?? ''
    // Optionally empty answers can be expressed by the operation's schema, not by the document.
    if (text === '') {
      const mayBeEmpty =
        !Object.keys(reply.content).length ||
        operation.stream ||
        // No lines: nothing matches.
        type === 'application/jsonl' ||
        operation.response?.safeParse(undefined).success
      return mayBeEmpty ? undefined : 'it is empty'
    }
    const schema = reply.content[type]?.schema
    if (!schema) return `its type ${type} is not in the document`
    const validate = validator(schema)
    // The document has no schema of its lines.
    if (type === 'text/csv') return undefined
    const parts = type === 'application/jsonl' ? text.split('\n').filter((line) => line !== '') : [text]
    const wrong = parts.find((part) => !validate(JSON.parse(part)))
    return wrong === undefined ? undefined : `${wrong.slice(0, 300)}: ${ajv.errorsText(validate.errors)}`
  }
}

/** A path with an undecodable parameter matches no operation. */
function unnamed(operation: Operation, status: number, replies: Readonly<Record<string, Reply>>): Reply | undefined {
  return status === 404 && pathParameters(operation.path).length > 0 ? replies['500'] : undefined
}
