// Passkeys: sign-in without a password or beside it, and a person's own passkeys.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { Password } from '../schemas/common.ts'
import {
  AcceptedCredentials,
  CreationOptions,
  NewCredential,
  Passkey,
  PasskeyId,
  PasskeyName,
  RequestOptions,
  SignedChallenge,
} from '../schemas/passkey.ts'
import { UserAuth } from '../schemas/user.ts'

const anyone = { kind: 'public' } as const
const signedIn = { kind: 'user' } as const
const noun = 'passkeys'
const byId = z.object({ id: PasskeyId })
/** Value of `X-MFA-Token`: the passkey is the second factor of that sign-in. Without one it is the only factor. */
const token = z.string().min(1, 'is required').max(64).optional()
const signIn = {
  noun,
  access: anyone,
  body: z.object({ token, credential: SignedChallenge }),
  bodyBytes: 16_384,
  response: UserAuth,
} as const
const signInErrors = [
  'LOCAL_SIGN_IN_DISABLED',
  'PASSKEY_REFUSED',
  'PASSKEYS_NEED_DOMAIN',
  'EMAIL_UNCONFIRMED',
  'TOO_MANY_REQUESTS',
] as const

export const passkeys = {
  signInOptions: operation({
    method: 'POST',
    path: '/api/auth/passkey/options',
    noun,
    summary: 'A challenge for signing in with a passkey, alone or as the second factor of a sign-in that waits for it',
    access: anyone,
    body: z.object({ token }),
    response: RequestOptions,
    errors: ['PASSKEY_REFUSED', 'PASSKEYS_NEED_DOMAIN', 'NOT_FOUND', 'TOO_MANY_REQUESTS'],
  }),
  login: operation({
    ...signIn,
    method: 'POST',
    path: '/api/auth/passkey',
    summary: 'Sign in with a passkey; the token lives 72 hours',
    errors: signInErrors,
  }),
  createSession: operation({
    ...signIn,
    method: 'POST',
    path: '/api/auth/passkey/session',
    summary: 'Sign in with a passkey from a browser: a token of 10 minutes and a refresh cookie of 30 days',
    errors: [...signInErrors, 'BAD_CREDENTIALS', 'ORIGIN_REFUSED'],
  }),
  list: operation({
    method: 'GET',
    path: '/api/user/passkeys',
    noun,
    summary: 'Your own passkeys, the oldest first',
    access: signedIn,
    response: z.array(Passkey),
  }),
  registerOptions: operation({
    method: 'POST',
    path: '/api/user/passkeys/options',
    noun,
    summary:
      'A challenge for adding a passkey; needs a second factor used lately, without one the current password, and without either a sign-in for which the provider asked for a credential lately',
    access: signedIn,
    body: z.object({ current_password: z.string().max(1_024).optional() }),
    response: CreationOptions,
    errors: [
      'PASSKEYS_NEED_DOMAIN',
      'FRESH_PROOF_REQUIRED',
      'PASSKEY_LIMIT',
      'LOCKED_OUT',
      'TOO_MANY_REQUESTS',
      'NOT_FOUND',
    ],
  }),
  register: operation({
    method: 'POST',
    path: '/api/user/passkeys',
    noun,
    summary: 'Add a passkey; from the first one on, a sign-in by password needs a second factor',
    access: signedIn,
    body: z.object({ name: PasskeyName, credential: NewCredential }),
    bodyBytes: 16_384,
    response: Passkey,
    errors: ['PASSKEYS_NEED_DOMAIN', 'PASSKEY_INVALID', 'PASSKEY_KNOWN', 'PASSKEY_LIMIT', 'NOT_FOUND'],
  }),
  rename: operation({
    method: 'PATCH',
    path: '/api/user/passkeys/{id}',
    noun,
    summary: 'Rename one of your passkeys',
    access: signedIn,
    params: byId,
    body: z.object({ name: PasskeyName }),
    response: Passkey,
    errors: ['NOT_FOUND'],
  }),
  remove: operation({
    method: 'DELETE',
    path: '/api/user/passkeys/{id}',
    noun,
    summary: 'Remove one of your passkeys; needs a second factor used lately',
    access: signedIn,
    params: byId,
    response: AcceptedCredentials,
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED', 'TOO_FEW_WAYS_IN'],
  }),
  proveOptions: operation({
    method: 'POST',
    path: '/api/user/passkeys/prove/options',
    noun,
    summary: 'A challenge for proving, before a sensitive change, that it is you',
    access: signedIn,
    response: RequestOptions,
    errors: ['PASSKEYS_NEED_DOMAIN', 'NOT_FOUND'],
  }),
  prove: operation({
    method: 'POST',
    path: '/api/user/passkeys/prove',
    noun,
    summary: 'Prove with a passkey that it is you; sensitive changes work for 10 minutes',
    access: signedIn,
    body: z.object({ credential: SignedChallenge }),
    bodyBytes: 16_384,
    errors: ['PASSKEYS_NEED_DOMAIN', 'PASSKEY_INVALID', 'NOT_FOUND'],
  }),
  removePassword: operation({
    method: 'DELETE',
    path: '/api/user/password',
    noun,
    summary:
      'Remove your own password and end every session; needs a second factor used lately and two other ways to sign in',
    access: signedIn,
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED', 'TOO_FEW_WAYS_IN'],
  }),
  setPassword: operation({
    method: 'PUT',
    path: '/api/user/password',
    noun,
    summary:
      'Set a password for your account, which has none, and end every session; needs a second factor used lately',
    access: signedIn,
    body: z.object({ password: Password }),
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED', 'PASSWORD_EXISTS'],
  }),
}
