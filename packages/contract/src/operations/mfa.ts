// Second factor by authenticator app, and sign-in by SAML.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { UserAuth } from '../schemas/user.ts'

const anyone = { kind: 'public' } as const
const signedIn = { kind: 'user' } as const
const Code = z.string().min(1, 'is required').max(64)
const Identifier = z.string().min(1, 'is required').max(320)

export const mfa = {
  authenticate: operation({
    method: 'POST',
    path: '/api/user/mfa/auth',
    noun: 'mfa',
    summary: 'Finish a sign-in with the token of the login answer and a code',
    access: anyone,
    body: z.object({ token: Code, code: Code }),
    response: UserAuth,
    errors: ['BAD_CREDENTIALS', 'LOCKED_OUT', 'NOT_YOURS', 'NOT_FOUND'],
    notYet: true,
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
    errors: ['NOT_YOURS', 'NOT_FOUND'],
    notYet: true,
  }),
  requestReset: operation({
    method: 'POST',
    path: '/api/user/mfa/reset',
    noun: 'mfa',
    summary: 'Mail one code to the main and one to the recovery address',
    access: anyone,
    body: z.object({ identifier: Identifier }),
    cloudOnly: true,
    errors: ['NOT_YOURS', 'NOT_FOUND'],
    notYet: true,
  }),
  generate: operation({
    method: 'GET',
    path: '/api/user/mfa/generate',
    noun: 'mfa',
    summary: 'A new secret with its link and recovery codes; nothing is stored yet',
    access: signedIn,
    response: z.object({ link: z.string(), secret: z.string(), recovery_codes: z.array(z.string()) }),
    errors: ['NOT_FOUND'],
    notYet: true,
  }),
  enable: operation({
    method: 'PUT',
    path: '/api/user/mfa/enable',
    noun: 'mfa',
    summary: 'Switch the second factor on; needs a recovery e-mail address',
    access: signedIn,
    body: z.object({ code: Code, secret: Code, recovery_codes: z.array(Code).min(1).max(16) }),
    errors: ['NOT_YOURS', 'NOT_FOUND'],
    notYet: true,
  }),
  disable: operation({
    method: 'PUT',
    path: '/api/user/mfa/disable',
    noun: 'mfa',
    summary: 'Switch the second factor off with a code or a recovery code',
    access: signedIn,
    body: z.object({ code: Code.optional(), recovery_code: Code.optional() }),
    errors: ['NOT_YOURS', 'NOT_FOUND'],
    notYet: true,
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
    cloudOnly: true,
    errors: ['NOT_YOURS', 'NOT_FOUND'],
    notYet: true,
  }),
}

export const saml = {
  start: operation({
    method: 'GET',
    path: '/api/user/saml/auth',
    noun: 'saml',
    summary: 'Address of the identity provider to send the person to',
    access: anyone,
    response: z.object({ url: z.string() }),
    errors: ['SAML_DISABLED'],
    notYet: true,
  }),
}
