// Sign-in of users and devices.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { TenantId } from '../schemas/common.ts'
import { DeviceAuth, DeviceAuthBody } from '../schemas/device.ts'
import { Fingerprint } from '../schemas/public-key.ts'
import { secondStepHeaders } from '../schemas/second-factor.ts'
import { UserAuth } from '../schemas/user.ts'

/** Not pattern-checked: accounts created under earlier rules must be able to sign in. */
const Credentials = z.object({
  username: z.string().min(1, 'is required').max(320),
  password: z.string().min(1, 'is required').max(1_024),
})

const signInHeaders = {
  'X-Account-Lockout': 'Unix time at which the lockout ends; 0 when there is none',
  ...secondStepHeaders,
}
const signInErrors = [
  'BAD_CREDENTIALS',
  'MFA_REQUIRED',
  'EMAIL_UNCONFIRMED',
  'LOCKED_OUT',
  'LOCAL_SIGN_IN_DISABLED',
  'TOO_MANY_REQUESTS',
] as const

export const auth = {
  login: operation({
    method: 'POST',
    path: '/api/login',
    aliases: ['/api/auth/user'],
    noun: 'auth',
    summary: 'Sign in with a username or e-mail address and a password; the token lives 72 hours',
    access: { kind: 'public' },
    body: Credentials,
    response: UserAuth,
    headers: signInHeaders,
    errors: signInErrors,
  }),
  createSession: operation({
    method: 'POST',
    path: '/api/auth/session',
    noun: 'auth',
    summary: 'Sign in from a browser: a token of 10 minutes and a refresh cookie of 30 days',
    access: { kind: 'public' },
    body: Credentials,
    response: UserAuth,
    headers: signInHeaders,
    errors: [...signInErrors, 'ORIGIN_REFUSED'],
  }),
  refreshSession: operation({
    method: 'POST',
    path: '/api/auth/session/refresh',
    noun: 'auth',
    summary: 'Exchange the refresh cookie for a new token and a new cookie',
    access: { kind: 'public' },
    response: UserAuth,
    errors: ['UNAUTHORIZED', 'ORIGIN_REFUSED'],
  }),
  deleteSession: operation({
    method: 'DELETE',
    path: '/api/auth/session',
    noun: 'auth',
    summary: 'Sign out: the sign-in of the refresh cookie, and that of the bearer token, end with all their tokens',
    access: { kind: 'public' },
    errors: ['ORIGIN_REFUSED'],
  }),
  endSessions: operation({
    method: 'DELETE',
    path: '/api/auth/sessions',
    noun: 'auth',
    summary: 'Sign out everywhere: every token and browser session of the person ends, this one too',
    access: { kind: 'user' },
    errors: ['NOT_FOUND'],
  }),
  getUser: operation({
    method: 'GET',
    path: '/api/auth/user',
    noun: 'auth',
    summary:
      'The signed-in user, with a new token that ends when the first one does. The one-use token of a single sign-on starts a sign-in here',
    access: { kind: 'user' },
    response: UserAuth,
    errors: ['NOT_FOUND', 'MFA_REQUIRED'],
  }),
  switchNamespace: operation({
    method: 'GET',
    path: '/api/auth/token/{tenant}',
    aliases: ['/api/token/{tenant}'],
    noun: 'auth',
    summary: 'A token for another namespace of the signed-in user; it ends when the first one does',
    access: { kind: 'user' },
    params: z.object({ tenant: TenantId }),
    response: UserAuth,
    errors: ['NAMESPACE_DISABLED', 'NOT_FOUND'],
  }),
  authenticateDevice: operation({
    method: 'POST',
    path: '/api/devices/auth',
    aliases: ['/api/auth/device'],
    noun: 'auth',
    summary:
      'Register a device or report that it is still there; used by agents. An accepted device is changed only when its key has signed',
    access: { kind: 'public' },
    body: DeviceAuthBody,
    bodyBytes: 81_920,
    response: DeviceAuth,
    errors: ['NOT_FOUND', 'INSTALL_KEY_REFUSED', 'TOO_MANY_REQUESTS'],
  }),
  signChallenge: operation({
    method: 'POST',
    path: '/api/auth/ssh',
    noun: 'auth',
    summary: 'Sign the data of a login with the login key of the namespace; used by existing agents',
    access: { kind: 'device' },
    body: z.object({ fingerprint: Fingerprint, data: z.string().min(1, 'is required').max(4_096) }),
    response: z.object({ signature: z.string() }),
    errors: ['NOT_FOUND'],
  }),
}
