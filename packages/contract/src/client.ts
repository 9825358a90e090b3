// The typed client: one function that calls any operation. Types are inferred from the operation; no code is generated.
// The catalogue's texts stay on the server: a client only compares codes.
import type { ErrorCode } from './errors.ts'
import { type CallInput, type Operation, type Output, pathParameters } from './operation.ts'

export interface ClientOptions {
  /** Origin of the server, for example `http://127.0.0.1:8080`; '' for the page's own. */
  readonly origin: string
  /** The bearer token to send, read before each call. */
  readonly token?: () => string | undefined
  readonly fetch?: typeof fetch
}

/** A response other than the operation's success. */
export class ApiError extends Error {
  readonly status: number
  /** A newer server may have others. */
  readonly code: ErrorCode | undefined
  /** Names of the invalid input fields. */
  readonly fields: readonly string[]
  readonly headers: Headers
  /** For reports to an administrator; '' when the server did not answer. */
  readonly requestId: string

  constructor(status: number, body: unknown, headers: Headers) {
    const named = typeof body === 'object' && body !== null && !Array.isArray(body) ? body : {}
    super('message' in named && typeof named.message === 'string' ? named.message : withoutMessage(status))
    this.name = 'ApiError'
    this.status = status
    const code = 'code' in named ? String(named.code) : ''
    this.code = /^[A-Z][A-Z_]*$/.test(code) ? (code as ErrorCode) : undefined
    const fields = Array.isArray(body) ? body : 'fields' in named && Array.isArray(named.fields) ? named.fields : []
    this.fields = fields.map(String)
    this.headers = headers
    this.requestId = headers.get('x-request-id') ?? ''
  }
}

/** What an answer without a text of the server means: it broke, or something before it has answered. */
function withoutMessage(status: number): string {
  return status >= 500
    ? `The server failed to answer (HTTP ${status}). Try again; if it continues, its log has the cause.`
    : `The server, or a proxy in front of it, refused the request without a reason (HTTP ${status}).`
}

export interface Answer<O> {
  readonly body: Output<O>
  readonly headers: Headers
  /** `X-Total-Count` of lists; 0 when absent. */
  readonly total: number
}

/**
 * Builds the URL path of a call, with its query.
 * @throws {ApiError} INVALID_INPUT for a path parameter that is missing or cannot be a path segment
 */
export function callPath(definition: Operation, input: { params?: unknown; query?: unknown }): string {
  const params = (input.params ?? {}) as Record<string, string | number | undefined>
  let path = definition.path
  for (const name of pathParameters(path)) {
    if (params[name] === undefined) throw invalid(name, 'is required')
    const value = String(params[name])
    // URLs cannot carry these as a segment: browsers resolve dots, and an empty one is another path.
    if (['', '.', '..'].includes(value) || !value.isWellFormed()) {
      throw invalid(name, 'cannot be part of an address')
    }
    path = path.replace(`{${name}}`, encodeURIComponent(value))
  }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries((input.query ?? {}) as Record<string, string | number | undefined>)) {
    if (value !== undefined) query.set(name, String(value))
  }
  return query.size ? `${path}?${query}` : path
}

/** As the server would answer. */
function invalid(field: string, rule: string): ApiError {
  return new ApiError(400, { code: 'INVALID_INPUT', message: `${field}: ${rule}.`, fields: [field] }, new Headers())
}

/** Parses the response body, which may come from an intermediary instead of the server. */
function parseAnswer(text: string, { status, headers }: Response): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new ApiError(status, { message: 'The answer is not JSON.' }, headers)
  }
}

/** Creates the client of one server. */
export function createClient(options: ClientOptions) {
  const send = options.fetch ?? fetch
  /**
   * Calls an operation.
   * @throws {ApiError} on any status but success; whatever fetch throws when the server cannot be reached
   */
  async function call<O extends Operation>(
    definition: O,
    input: CallInput<O> & { signal?: AbortSignal; headers?: Record<string, string> },
  ): Promise<Answer<O>> {
    const response = await open(definition, input)
    const text = await response.text()
    const body = text === '' ? undefined : parseAnswer(text, response)
    return {
      body: body as Output<O>,
      headers: response.headers,
      total: Number(response.headers.get('x-total-count') ?? 0),
    }
  }

  /** Sends a call and returns the response when its status is success: for streams. */
  async function open<O extends Operation>(
    definition: O,
    input: CallInput<O> & { signal?: AbortSignal; headers?: Record<string, string> },
  ): Promise<Response> {
    const parts = input as { params?: unknown; query?: unknown; body?: unknown }
    const headers: Record<string, string> = { ...input.headers }
    const token = options.token?.()
    if (token) headers['authorization'] = `Bearer ${token}`
    if (parts.body !== undefined) headers['content-type'] = 'application/json'
    const response = await send(options.origin + callPath(definition, parts), {
      method: definition.method,
      headers,
      ...(parts.body === undefined ? {} : { body: JSON.stringify(parts.body) }),
      ...(input.signal ? { signal: input.signal } : {}),
      credentials: 'same-origin',
    })
    if (response.ok) return response
    throw new ApiError(response.status, await response.json().catch(() => undefined), response.headers)
  }

  return { call, open }
}
