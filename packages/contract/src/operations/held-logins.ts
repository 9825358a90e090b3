// SSH logins that wait for their person: where a namespace asks for a second factor, the gateway holds a login whose
// credential is right, and its person approves or denies it in the console.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { HeldLogin, HeldLoginCode } from '../schemas/held-login.ts'

const signedIn = { kind: 'user' } as const
const byCode = z.object({ code: HeldLoginCode })

export const heldLogins = {
  list: operation({
    method: 'GET',
    path: '/api/held-logins',
    noun: 'held-logins',
    summary: 'Your own SSH logins that wait for your approval, oldest first',
    access: signedIn,
    response: z.array(HeldLogin),
  }),
  get: operation({
    method: 'GET',
    path: '/api/held-logins/{code}',
    noun: 'held-logins',
    summary: 'The SSH login that waits under a code: yours, or one by password in a namespace of yours',
    access: signedIn,
    params: byCode,
    response: HeldLogin,
    errors: ['NOT_FOUND', 'TOO_MANY_REQUESTS'],
  }),
  approve: operation({
    method: 'POST',
    path: '/api/held-logins/{code}/approve',
    noun: 'held-logins',
    summary: 'Approve a waiting SSH login as yourself; works once',
    access: signedIn,
    params: byCode,
    errors: ['NOT_FOUND', 'TOO_MANY_REQUESTS', 'FRESH_PROOF_REQUIRED'],
  }),
  deny: operation({
    method: 'POST',
    path: '/api/held-logins/{code}/deny',
    noun: 'held-logins',
    summary:
      'Deny a waiting SSH login; with a fresh proof the same credential from the same network is refused for some minutes',
    access: signedIn,
    params: byCode,
    errors: ['NOT_FOUND', 'TOO_MANY_REQUESTS'],
  }),
}
