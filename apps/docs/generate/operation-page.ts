// Generates the page of one API operation, as MDX.
import { ERRORS, type ErrorCode } from '@bowline/contract/errors'
import { type DocumentedOperation, type OpenApi, type Schema, describeSchema, resolved } from './openapi-document.ts'

interface Place {
  readonly edition: string
  /** Alternative paths of the operation. */
  readonly aliases: readonly string[]
}

export function operationPage(operation: DocumentedOperation, document: OpenApi, place: Place): string {
  const { method, path, summary, description } = operation
  const frontMatter = [
    `title: ${JSON.stringify(summary)}`,
    `description: ${JSON.stringify(`${method} ${path}: ${summary}.`)}`,
    `sidebar_label: ${JSON.stringify(`${method} ${path}`)}`,
    `displayed_sidebar: ${place.edition}`,
  ]
  const sections = [
    `<Endpoint method="${method}" path="${path}" />`,
    operation.deprecated ? ':::note\nKept for existing clients; new ones use another call.\n:::' : '',
    text(description),
    place.aliases.length ? `Also at ${place.aliases.map((alias) => `\`${alias}\``).join(', ')}.` : '',
    ...parameters(operation, document),
    ...body(operation, document),
    '## Try it',
    `<TryIt method="${method}" path="${path}"${hasBody(operation) ? ` body={${JSON.stringify(exampleOf(operation))}}` : ''} />`,
    fence('bash', curl(operation), 'curl'),
    ...answer(operation, document),
    ...failures(operation),
  ]
  return `---\n${frontMatter.join('\n')}\n---\n\n${sections.filter((section) => section !== '').join('\n\n')}\n`
}

function parameters({ parameters: list = [] }: DocumentedOperation, document: OpenApi): string[] {
  if (list.length === 0) return []
  return [
    '## Parameters',
    table(
      ['Name', 'In', 'Value'],
      list.map(({ name, in: place, required, schema }) => [
        `\`${name}\``,
        required ? place : `${place}, optional`,
        describeSchema(schema, document),
      ]),
    ),
  ]
}

function body(operation: DocumentedOperation, document: OpenApi): string[] {
  const content = operation.requestBody?.content['application/json']
  if (!content?.schema) return []
  return [
    '## Body',
    fields(content.schema, document),
    fence('json', JSON.stringify(content.example, null, 2), 'example'),
  ]
}

function answer({ responses }: DocumentedOperation, document: OpenApi): string[] {
  const [status = '200', success] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? []
  const [type, content] = Object.entries(success?.content ?? {})[0] ?? []
  const headers = Object.entries(success?.headers ?? {})
  const lines = [`## Answer`, `Status \`${status}\`${type ? `, \`${type}\`.` : ' without a body.'}`]
  if (headers.length) {
    lines.push(
      table(
        ['Header', 'Meaning'],
        headers.map(([name, { description }]) => [`\`${name}\``, description]),
      ),
    )
  }
  if (content?.schema) lines.push(fields(content.schema, document))
  if (content?.example !== undefined) lines.push(fence('json', JSON.stringify(content.example, null, 2), 'example'))
  return lines
}

function failures({ responses }: DocumentedOperation): string[] {
  const rows = Object.entries(responses)
    .filter(([status]) => !status.startsWith('2'))
    .flatMap(([status, { description }]) =>
      description.split(', ').map((code) => [status, `\`${code}\``, ERRORS[code as ErrorCode].message]),
    )
  return ['## Failures', table(['Status', 'Code', 'Message'], rows)]
}

/** Fields of an object, or of the objects of a list. */
function fields(schema: Schema, document: OpenApi): string {
  const outer = resolved(schema, document)
  const inner = outer.items ? resolved(outer.items, document) : outer
  const list = outer.items ? 'A list of objects:\n\n' : ''
  const entries = Object.entries(inner.properties ?? {})
  if (entries.length === 0) return `${text(describeSchema(schema, document))}.`
  const rows = entries.map(([name, property]) => [
    `\`${name}\``,
    (inner.required ?? []).includes(name) ? 'yes' : '',
    describeSchema(property, document),
  ])
  return list + table(['Field', 'Always', 'Value'], rows)
}

function hasBody(operation: DocumentedOperation): boolean {
  return operation.requestBody !== undefined
}

function exampleOf(operation: DocumentedOperation): string {
  return JSON.stringify(operation.requestBody?.content['application/json']?.example ?? {}, null, 2)
}

/** The operation as a shell command; `SERVER` and `TOKEN` come from the environment. */
function curl(operation: DocumentedOperation): string {
  const { method, path, parameters: list = [], security } = operation
  const address = path.replaceAll(/\{([\w-]+)\}/g, (_, name: string) => {
    const example = list.find((parameter) => parameter.name === name)?.example
    return encodeURIComponent(typeof example === 'string' ? example : JSON.stringify(example ?? name))
  })
  const query = list.filter(({ in: place, required }) => place === 'query' && required).map(({ name }) => `${name}=…`)
  const lines = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$SERVER${address}${query.length ? `?${query.join('&')}` : ''}"`,
  ]
  if (security.length) lines.push(`-H "Authorization: Bearer $TOKEN"`)
  if (hasBody(operation)) {
    lines.push(`-H 'Content-Type: application/json'`)
    lines.push(`-d '${JSON.stringify(JSON.parse(exampleOf(operation))).replaceAll("'", String.raw`'\''`)}'`)
  }
  return lines.join(' \\\n  ')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => text(cell).replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Escapes text for MDX: outside of code, braces and angle brackets would be parsed as code. */
function text(words: string): string {
  return words
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll(/[{}<>]/g, (sign) => `\\${sign}`)))
    .join('')
}

function fence(language: string, code: string, title: string): string {
  return `\`\`\`${language} title="${title}"\n${code}\n\`\`\``
}
