// Maps failures to HTTP answers. Expected failures are BowlineErrors; everything else is a defect and answers 500 with
// nothing but its request id.
import { BowlineError, type ErrorCode } from '@bowline/contract/errors'
import type { Operation } from '@bowline/contract/operation'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { limitReached } from '../db/limit-reached.ts'
import type { Log } from '../platform/log.ts'
import { isDatabaseAway } from './database-errors.ts'

/** Fastify's own failures before a handler runs, in terms of the catalogue. */
const FRAMEWORK_ERRORS: Readonly<Record<string, ErrorCode>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_JSON_BODY: 'UNREADABLE_BODY',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'UNREADABLE_BODY',
}

const UNIQUE_VIOLATION = '23505'
/** Unique constraints: two concurrent calls both found the value free, and the second one fails. */
const TAKEN: Readonly<Record<string, { readonly code: ErrorCode; readonly field: string }>> = {
  username_is_unique: { code: 'CONFLICT', field: 'username' },
  email_is_unique: { code: 'CONFLICT', field: 'email' },
  openid_provider_name_is_unique: { code: 'CONFLICT', field: 'name' },
  namespace_name_is_unique: { code: 'CONFLICT', field: 'name' },
  namespaces_are_known_by_tenant: { code: 'CONFLICT', field: 'tenant' },
  api_key_is_unique: { code: 'CONFLICT', field: 'key' },
  api_key_name_is_unique_in_its_namespace: { code: 'CONFLICT', field: 'name' },
  user_is_a_member_once: { code: 'ALREADY_MEMBER', field: 'email' },
  public_name_is_of_one_device: { code: 'PUBLIC_NAME_TAKEN', field: 'public_url' },
  accepted_device_name_is_unique_in_its_namespace: { code: 'DEVICE_NAME_TAKEN', field: 'name' },
}

/** Sends the answer for anything thrown while a request was handled. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Log): void {
  const known = toBowlineError(error, request)
  // A flood that is refused must not flood the log too.
  const isExpected = known.details['reason'] === 'overload'
  if (known.status >= 500 && !isExpected) {
    log.error('http.error', { request: request.id, method: request.method, path: request.routeOptions.url, err: error })
  }
  const operation = request.routeOptions.config.operation
  const bare = operation?.fieldNames && (known.status === 400 || known.status === 409)
  void reply.status(known.status)
  if (known.code === 'UNAVAILABLE') void reply.header('retry-after', '5')
  if (known.code === 'TOO_MANY_REQUESTS') void reply.header('retry-after', String(known.details['seconds'] ?? 1))
  void reply.send(
    bare
      ? known.fields
      : { message: known.message, code: known.code, ...(known.fields.length ? { fields: known.fields } : {}) },
  )
}

/** Anything thrown while a request was handled, as an error of the catalogue. */
export function toBowlineError(error: unknown, request: FastifyRequest): BowlineError {
  if (error instanceof BowlineError) return error
  // The client disconnected in the middle of its body: no answer is read, and this is no defect.
  if (request.raw.destroyed && !request.raw.complete)
    return new BowlineError('UNREADABLE_BODY', { rule: 'it ended early' })
  const { code, statusCode } = (error ?? {}) as { code?: unknown; statusCode?: unknown }
  const mapped = typeof code === 'string' ? FRAMEWORK_ERRORS[code] : undefined
  const limit = request.routeOptions.bodyLimit ?? 0
  if (mapped) return new BowlineError(mapped, { rule: 'it cannot be parsed', limit })
  if (code === UNIQUE_VIOLATION) {
    const known = TAKEN[String((error as { constraint?: unknown }).constraint)]
    if (known) return new BowlineError(known.code, { field: known.field }, [known.field], { cause: error })
  }
  const limited = limitReached(error)
  if (limited) return limited
  if (isDatabaseAway(error)) {
    return new BowlineError('UNAVAILABLE', { what: 'the database' }, [], { cause: error })
  }
  // A body that is not JSON, or one with `__proto__` keys, arrives as a plain 400 of the parser.
  if (statusCode === 400) return new BowlineError('UNREADABLE_BODY', { rule: 'it cannot be parsed' })
  return new BowlineError('INTERNAL', {}, [], { cause: error })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
  }
  interface FastifyRequest {
    /** Text of a JSON body, for operations that keep it. */
    bodyText?: string
  }
}
