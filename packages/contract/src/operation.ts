// An API call as data. Servers bind a handler to an operation, clients call it, OpenAPI describes it.
import type { z } from 'zod'
import type { ErrorCode } from './errors.ts'
import type { Permission } from './roles.ts'

/** Permitted callers. Everything that is not `public` answers 401 without a valid credential. */
export type Access =
  | { readonly kind: 'public' }
  /** A signed-in user, even without a namespace. API keys answer 403. */
  | { readonly kind: 'user' }
  /** A member of the credential's namespace, with the permission when one is named. `keys`: API keys may call too. */
  | {
      readonly kind: 'member'
      readonly permission?: Permission
      /** The permission may be limited to some devices: `uid` in the path is a device, or a session with one. */
      readonly per?: 'device' | 'session'
      readonly keys: boolean
      /** Answers also while the namespace is disabled. */
      readonly whileDisabled?: true
    }
  /** A signed-in user who administers this server: its mail, its people. API keys answer 403. */
  | { readonly kind: 'instance-admin' }
  /** A device's token. */
  | { readonly kind: 'device' }
  /** The node secret in `X-Node-Secret`; never published. */
  | { readonly kind: 'internal' }

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Shape of an operation; P, Q, B, R are the schemas of path parameters, query, body and response. */
export interface Operation<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> {
  readonly method: Method
  /** Absolute, parameters in braces: `/api/devices/{uid}`. */
  readonly path: string
  /** Further paths with the same meaning. */
  readonly aliases?: readonly string[]
  /** The noun it belongs to; groups the documentation. */
  readonly noun: string
  readonly summary: string
  readonly access: Access
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  /** Largest request body, in bytes; default 8,192. */
  readonly bodyBytes?: number
  /** The handler also gets the body's text, for a signature over it. */
  readonly keepsText?: true
  /** Cost of the call in tokens of its caller's rate limit; default 1. */
  readonly cost?: number
  /** Schema of a JSON answer; absent: the answer has no body. */
  readonly response?: R
  /** The response is a list whose total is sent in `X-Total-Count`. */
  readonly total?: true
  /** The list is also available as JSON lines, one item each. */
  readonly jsonLines?: true
  /** Also available as plain text, by `format`, or to clients that accept `text/plain` explicitly. */
  readonly asText?: true
  /** Also available as comma-separated values. */
  readonly asCsv?: true
  /** The response is a stream of server-sent events of the response schema. */
  readonly stream?: true
  /** Headers of the response, with descriptions. */
  readonly headers?: Readonly<Record<string, string>>
  /** Kept for existing clients; another call does the same. */
  readonly deprecated?: true
  /** Success status; default 200. */
  readonly status?: number
  /** Failures of this call beyond those its access and input imply. */
  readonly errors?: readonly ErrorCode[]
  /** Exists in the cloud edition only; elsewhere it answers EDITION. */
  readonly cloudOnly?: true
  /** Existing clients read the bare list of field names on 400 and 409 instead of `{message}`. */
  readonly fieldNames?: true
}

/** Preserves the literal types of an operation. */
export function operation<
  P extends z.ZodType = z.ZodUndefined,
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
  R extends z.ZodType = z.ZodUndefined,
>(definition: Operation<P, Q, B, R>): Operation<P, Q, B, R> {
  return definition
}

type Parsed<S> = S extends z.ZodUndefined ? undefined : S extends z.ZodType ? z.output<S> : undefined
type Raw<S> = S extends z.ZodUndefined ? undefined : S extends z.ZodType ? z.input<S> : undefined

/** A handler's input: validated and transformed. */
export type Input<O> =
  O extends Operation<infer P, infer Q, infer B, infer _R>
    ? { params: Parsed<P>; query: Parsed<Q>; body: Parsed<B> }
    : never

/** A caller's input: before validation. Parts the operation does not have are omitted. */
export type CallInput<O> =
  O extends Operation<infer P, infer Q, infer B, infer _R>
    ? (P extends z.ZodUndefined ? object : { params: Raw<P> }) &
        (Q extends z.ZodUndefined ? object : { query?: Raw<Q> }) &
        (B extends z.ZodUndefined ? object : { body: Raw<B> })
    : never

/** The response body of the call; undefined for an empty body. */
export type Output<O> = O extends Operation<infer _P, infer _Q, infer _B, infer R> ? Parsed<R> : never

/** Path parameters of an operation's path, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/\{([\w-]+)\}/g)].map((match) => String(match[1]))
}
