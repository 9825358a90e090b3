// Second factor by authenticator app.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { NewFactor, SecondFactor, AuthenticatorId, AuthenticatorName, FreshProof } from '../schemas/second-factor.ts'
import { UserAuth } from '../schemas/user.ts'

const anyone = { kind: 'public' } as const
const signedIn = { kind: 'user' } as const
const Code = z.string().min(1, 'is required').max(64)
const Identifier = z.string().min(1, 'is required').max(320)
const EitherCode = z.object({ code: Code.optional(), recovery_code: Code.optional() })
const byAuthenticator = z.object({ id: AuthenticatorId })
const secondStepErrors = ['SECOND_FACTOR_WRONG', 'SECOND_FACTOR_EXPIRED', 'TOO_MANY_REQUESTS'] as const

export const mfa = {
  authenticate: operation({
    method: 'POST',
    path: '/api/user/mfa/auth',
    noun: 'mfa',
    summary: 'Finish a sign-in with the token of the login answer and a code',
    access: anyone,
    body: z.object({ token: Code, code: Code }),
    response: UserAuth,
    errors: secondStepErrors,
  }),
  finishSession: operation({
    method: 'POST',
    path: '/api/auth/session/factor',
    noun: 'mfa',
    summary: 'Finish a sign-in from a browser with a code or a recovery code: a token and a refresh cookie',
    access: anyone,
    body: z.object({ token: Code, ...EitherCode.shape }),
    response: UserAuth,
    errors: [...secondStepErrors, 'ORIGIN_REFUSED'],
  }),
  recover: operation({
    method: 'POST',
    path: '/api/user/mfa/recover',
    noun: 'mfa',
    summary: 'Sign in with a recovery code; for 10 minutes the same code also switches the second factor off',
    access: anyone,
    body: z.object({ identifier: Identifier, recovery_code: Code }),
    response: UserAuth,
    headers: { 'X-Expires-At': 'Unix time until which the recovery code still works' },
    errors: ['CODE_REFUSED', 'TOO_MANY_REQUESTS', 'LOCAL_SIGN_IN_DISABLED'],
  }),
  requestReset: operation({
    method: 'POST',
    path: '/api/user/mfa/reset',
    noun: 'mfa',
    summary:
      'Mail one code to the main and one to the recovery address; the answer does not tell whether there are any',
    access: anyone,
    body: z.object({ identifier: Identifier }),
    errors: ['TOO_MANY_REQUESTS', 'LOCAL_SIGN_IN_DISABLED'],
  }),
  generate: operation({
    method: 'GET',
    path: '/api/user/mfa/generate',
    noun: 'mfa',
    summary:
      'A new secret with its link, and recovery codes unless the account has some; valid for an hour. An account with neither a second factor nor a password needs a sign-in for which its provider asked for a credential lately',
    access: signedIn,
    response: NewFactor,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  enable: operation({
    method: 'PUT',
    path: '/api/user/mfa/enable',
    noun: 'mfa',
    summary:
      'Add an authenticator with the generated secret and a code of it; in the cloud edition the account needs a recovery e-mail address',
    access: signedIn,
    body: z.object({
      code: Code,
      secret: Code,
      recovery_codes: z.array(Code).max(16),
      name: AuthenticatorName.optional(),
      current_password: z
        .string()
        .max(1_024)
        .optional()
        .describe('Needed for the first authenticator when no credential was proven within the last ten minutes.'),
    }),
    errors: ['CODE_REFUSED', 'FACTOR_LIMIT', 'FRESH_PROOF_REQUIRED', 'NOT_FOUND', 'TOO_MANY_REQUESTS', 'LOCKED_OUT'],
  }),
  disable: operation({
    method: 'PUT',
    path: '/api/user/mfa/disable',
    noun: 'mfa',
    summary: 'Switch the second factor off with a code or a recovery code',
    access: signedIn,
    body: EitherCode,
    errors: ['CODE_REFUSED', 'NOT_FOUND', 'TOO_MANY_REQUESTS'],
  }),
  reset: operation({
    method: 'PUT',
    path: '/api/user/mfa/reset/{user-id}',
    noun: 'mfa',
    summary: 'Switch the second factor off with the codes of both mails, and sign in',
    access: anyone,
    params: z.object({ 'user-id': z.string().max(64) }),
    body: z.object({ main_email_code: Code, recovery_email_code: Code }),
    response: UserAuth,
    errors: ['CODE_REFUSED', 'TOO_MANY_REQUESTS', 'LOCAL_SIGN_IN_DISABLED'],
  }),
  get: operation({
    method: 'GET',
    path: '/api/user/mfa',
    noun: 'mfa',
    summary: 'Your own second factor: authenticators, and how many recovery codes are left',
    access: signedIn,
    response: SecondFactor,
    errors: ['NOT_FOUND'],
  }),
  rename: operation({
    method: 'PATCH',
    path: '/api/user/mfa/authenticators/{id}',
    noun: 'mfa',
    summary: 'Rename an authenticator',
    access: signedIn,
    params: byAuthenticator,
    body: z.object({ name: AuthenticatorName }),
    errors: ['NOT_FOUND'],
  }),
  remove: operation({
    method: 'DELETE',
    path: '/api/user/mfa/authenticators/{id}',
    noun: 'mfa',
    summary: 'Remove an authenticator; without the last factor the second factor is off',
    access: signedIn,
    params: byAuthenticator,
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED'],
  }),
  renewRecoveryCodes: operation({
    method: 'POST',
    path: '/api/user/mfa/recovery-codes',
    noun: 'mfa',
    summary: 'Replace the recovery codes; the earlier ones stop working',
    access: signedIn,
    response: z.object({ recovery_codes: z.array(z.string()) }),
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED', 'TOO_MANY_REQUESTS'],
  }),
  prove: operation({
    method: 'POST',
    path: '/api/user/mfa/proof',
    noun: 'mfa',
    summary:
      'Prove with a code or a recovery code, without a second factor with the password, that it is you: sensitive changes of this sign-in work for 10 minutes',
    access: signedIn,
    body: EitherCode.extend({
      current_password: z.string().max(1_024).optional().describe('For accounts without a second factor.'),
    }),
    response: FreshProof,
    errors: ['CODE_REFUSED', 'NOT_FOUND', 'TOO_MANY_REQUESTS', 'LOCKED_OUT'],
  }),
  getProof: operation({
    method: 'GET',
    path: '/api/user/mfa/proof',
    noun: 'mfa',
    summary: 'Whether sensitive changes of this sign-in need a new proof',
    access: signedIn,
    response: FreshProof,
    errors: ['NOT_FOUND'],
  }),
}
