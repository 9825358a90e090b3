// People with a second factor, for tests.
import { operations } from '@bowline/contract/operations'
import { Secret, TOTP } from 'otpauth'
import type { Clock } from '@bowline/base/clock'
import type { BootedServer, Client, Person } from '../testing/boot.ts'

/** Code of an authenticator. @param secret base32 @param now milliseconds since the epoch */
export function codeAt(secret: string, now: number): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: now })
}

export interface Factor {
  readonly secret: string
  readonly recoveryCodes: readonly string[]
}

/** Adds an authenticator, as the console does. */
export async function addFactor(client: Client, clock: Clock, name?: string): Promise<Factor> {
  const { secret, recovery_codes } = (await client.call(operations.mfa.generate, {})).body
  const code = codeAt(secret, clock.now())
  await client.call(operations.mfa.enable, { body: { code, secret, recovery_codes, ...(name ? { name } : {}) } })
  return { secret, recoveryCodes: recovery_codes }
}

export interface PostOptions {
  /** Source address, which the test server reads from its trusted proxy's header. */
  readonly from?: string | undefined
  readonly token?: string | undefined
  readonly method?: string
}

export interface Posted {
  readonly status: number
  readonly headers: Headers
  readonly body: { readonly [key: string]: unknown }
}

/** Sends JSON and returns the whole answer. */
export async function post(
  server: Pick<BootedServer, 'fetch'>,
  path: string,
  body: unknown,
  { from, token, method = 'POST' }: PostOptions = {},
): Promise<Posted> {
  const response = await server.fetch(path, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(from ? { 'x-forwarded-for': from } : {}),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? {} : (JSON.parse(text) as object as Posted['body']),
  }
}

/** First step of a sign-in. @returns the token that waits for the second step; '' if none is needed */
export async function passwordStep(
  server: Pick<BootedServer, 'fetch'>,
  { username, password }: Pick<Person, 'username' | 'password'>,
  options: PostOptions = {},
): Promise<string> {
  const { headers } = await post(server, '/api/login', { username, password }, options)
  return headers.get('x-mfa-token') ?? ''
}
