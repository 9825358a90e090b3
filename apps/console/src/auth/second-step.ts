// A sign-in that waits for its second step, as the answer to the first one describes it.
import { ApiError } from '@bowline/contract/client'

export interface SecondStep {
  /** Value of `X-MFA-Token`. */
  readonly token: string
  /** True if a code of an authenticator app finishes it. */
  readonly code: boolean
  readonly passkey: boolean
  readonly recoveryCode: boolean
}

/** The second step that a refused sign-in asks for; undefined for other failures. */
export function secondStepOf(error: unknown): SecondStep | undefined {
  if (!(error instanceof ApiError) || error.code !== 'MFA_REQUIRED') return undefined
  const token = error.headers.get('x-mfa-token') ?? ''
  if (token === '') return undefined
  const methods = new Set((error.headers.get('x-mfa-methods') ?? '').split(', '))
  return {
    token,
    code: methods.has('code'),
    passkey: methods.has('passkey'),
    recoveryCode: methods.has('recovery-code'),
  }
}
