// Sign-in with a passkey: options, the browser's dialog, and the browser session that follows.
import { passkeys } from '@bowline/contract/operations/passkeys'
import type { RequestOptions, SignedChallenge } from '@bowline/contract/schemas/passkey'
import type { Runtime } from '../../core/runtime.ts'
import { callTimeout } from '../../platform/call-timeout.ts'
import { askForPasskey } from './browser.ts'

type Parts = Pick<Runtime, 'api' | 'session'>

/** Token of a sign-in that waits for its second factor; undefined: the passkey is the only factor. */
type Token = string | undefined

const beside = (token: Token) => (token === undefined ? {} : { token })

/** A challenge for a sign-in. @throws the call's error */
export async function signInOptions({ api }: Pick<Parts, 'api'>, token?: Token): Promise<RequestOptions> {
  return (await api.call(passkeys.signInOptions, { body: beside(token) })).body
}

/** Starts the browser session. @throws the call's error */
export function finishSignIn({ session }: Parts, credential: SignedChallenge, token?: Token): Promise<void> {
  const body = { ...beside(token), credential }
  return session.enter(
    async (client) => (await client.call(passkeys.createSession, { body, signal: callTimeout() })).body,
  )
}

/** Signs in, with the browser's dialog. @throws {PasskeyFailure} or the call's error */
export async function signInByPasskey(parts: Parts, token?: Token): Promise<void> {
  const options = await signInOptions(parts, token)
  await finishSignIn(parts, await askForPasskey(options), token)
}
