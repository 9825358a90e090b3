// The answer to a client that asks whether a public key would do, before it signs with it.
import type { AuthAttempt, AuthDecision } from '@bowline/ssh/api'
import type { Login } from './login.ts'

/** Answers a public key query (RFC 4252 section 7). Certificates are never accepted. */
export async function answerQuery(
  login: Login,
  { key }: Extract<AuthAttempt, { method: 'publickey' }>,
): Promise<AuthDecision> {
  const refused: AuthDecision = { result: 'reject' }
  const decision = await login.query(key.blob).catch(() => refused)
  return key.certificate ? refused : decision
}
