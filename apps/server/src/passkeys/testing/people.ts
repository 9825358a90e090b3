// People with passkeys, for tests over HTTP.
import { operations } from '@bowline/contract/operations'
import type { RequestOptions } from '@bowline/contract/schemas/passkey'
import type { UserAuth } from '@bowline/contract/schemas/user'
import { ApiError } from '@bowline/contract/client'
import { type BootedServer, PASSWORD, type Person } from '../../testing/boot.ts'
import { type Departures, SoftwareAuthenticator } from './authenticator.ts'

const { passkeys, auth } = operations
/** Settings of a server with a relying party. */
export const PUBLIC_URL = 'https://bowline.example.com'

/** Options for a new passkey, proven by the password. */
export async function creationOptions(person: Person) {
  return (await person.client.call(passkeys.registerOptions, { body: { current_password: PASSWORD } })).body
}

/** Adds a passkey to an account. */
export async function addPasskey(
  person: Person,
  authenticator = new SoftwareAuthenticator(PUBLIC_URL),
  name = 'laptop',
): Promise<{ readonly authenticator: SoftwareAuthenticator; readonly id: string }> {
  const credential = authenticator.create(await creationOptions(person))
  const { body } = await person.client.call(passkeys.register, { body: { name, credential } })
  return { authenticator, id: body.id }
}

/** Challenge for a sign-in. */
export async function requestOptions(server: BootedServer, token?: string): Promise<RequestOptions> {
  const body = token === undefined ? {} : { token }
  return (await server.client().call(passkeys.signInOptions, { body })).body
}

/** Signs in with a passkey alone. */
export async function signIn(
  server: BootedServer,
  authenticator: SoftwareAuthenticator,
  but?: Departures,
): Promise<UserAuth> {
  const credential = authenticator.get(await requestOptions(server), but)
  return (await server.client().call(passkeys.login, { body: { credential } })).body
}

/** Token of a sign-in by password that waits for its second factor. */
export async function pendingToken(server: BootedServer, username: string): Promise<string> {
  const answer = await server.fetch(auth.login.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: PASSWORD }),
  })
  const token = answer.headers.get('x-mfa-token')
  if (answer.status !== 401 || !token) throw new Error(`the sign-in answered ${answer.status} without a token`)
  return token
}

/** Code of a failed call; 'passed' when it succeeds. */
export async function codeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call
    return 'passed'
  } catch (error) {
    if (error instanceof ApiError) return error.code ?? String(error.status)
    throw error
  }
}
