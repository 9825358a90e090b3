// HTTP side of the fake server: routes calls by the contract's operations, validates input with their schemas, answers
// errors as in the catalogue, and serves the built console under the server's content security policy.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { BowlineError } from '@bowline/contract/errors'
import { type Input, type Operation, type Output, pathParameters } from '@bowline/contract/operation'

export interface FakeCall {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

type Answer<O> = Output<O> | { readonly items: Output<O>; readonly total: number }
type Handler<O> = (input: Input<O>, call: FakeCall) => Answer<O> | Promise<Answer<O>>

interface Route {
  readonly operation: Operation
  readonly pattern: RegExp
  readonly handle: (input: never, call: FakeCall) => unknown
}

export class Routes {
  readonly #routes: Route[] = []

  on<O extends Operation>(operation: O, handle: Handler<O>): void {
    const pattern = new RegExp(`^${operation.path.replaceAll(/\{[\w-]+\}/g, '([^/]+)')}$`)
    this.#routes.push({ operation, pattern, handle })
  }

  find(method: string, path: string): { route: Route; params: Record<string, string> } | undefined {
    for (const route of this.#routes) {
      const match = route.operation.method === method ? route.pattern.exec(path) : null
      if (!match) continue
      const names = pathParameters(route.operation.path)
      const values = names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')])
      return { route, params: Object.fromEntries(values) as Record<string, string> }
    }
    return undefined
  }
}

/** Answers one API call. */
export async function answerCall(routes: Routes, call: FakeCall, guard: (operation: Operation) => void): Promise<void> {
  const { request, response } = call
  const url = new URL(request.url ?? '/', 'http://fake')
  response.setHeader('x-request-id', `fake-${Math.random().toString(36).slice(2, 10)}`)
  try {
    const found = routes.find(request.method ?? 'GET', url.pathname)
    if (!found) {
      throw new BowlineError('ROUTE_NOT_FOUND', { method: request.method ?? '', path: url.pathname })
    }
    const { operation, handle } = found.route
    guard(operation)
    const body = operation.body ? await readJson(request) : undefined
    const input = {
      params: parse(operation.params, found.params),
      query: parse(operation.query, Object.fromEntries(url.searchParams)),
      body: parse(operation.body, body),
    }
    const answer = await handle(input as never, call)
    if (operation.stream) return
    const listed = operation.total && typeof answer === 'object' && answer !== null && 'total' in answer
    if (listed) response.setHeader('x-total-count', String(answer.total))
    const payload = listed && 'items' in answer ? answer.items : answer
    response.statusCode = operation.status ?? 200
    if (payload === undefined) response.end()
    else sendJson(response, payload)
  } catch (error) {
    sendFailure(response, error)
  }
}

function parse(schema: Operation['body'], value: unknown): unknown {
  if (!schema) return undefined
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const field = String(issue?.path[0] ?? 'body')
  throw new BowlineError('INVALID_INPUT', { field, rule: issue?.message ?? 'is not valid' }, [field])
}

/** Answers with the status, message, code and fields of a catalogued error; anything else becomes INTERNAL. */
export function sendFailure(response: ServerResponse, error: unknown): void {
  const failure = error instanceof BowlineError ? error : new BowlineError('INTERNAL')
  response.statusCode = failure.status
  sendJson(response, { message: failure.message, code: failure.code, fields: failure.fields })
}

function sendJson(response: ServerResponse, body: unknown): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(body))
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return JSON.parse(text)
}

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Serves a file of the built console; a path without an extension gets the index page, with its own scripts allowed. */
export async function serveConsole(folder: string, path: string, response: ServerResponse): Promise<void> {
  const file = extname(path) === '' ? 'index.html' : normalize(path).replace(/^\/+/, '')
  try {
    const bytes = await readFile(join(folder, file))
    const own = file.endsWith('.html') ? scriptsOf(bytes.toString()) : []
    response.setHeader(
      'content-security-policy',
      `default-src 'self'; script-src ${["'self'", ...own].join(' ')}; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'`,
    )
    response.setHeader('content-type', TYPES[extname(file)] ?? 'application/octet-stream')
    response.end(bytes)
  } catch {
    response.statusCode = 404
    response.end()
  }
}

/** Sources of the scripts that are in a page. */
function scriptsOf(page: string): string[] {
  return [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )
}
