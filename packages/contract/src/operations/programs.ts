// Sign-in of programs without a browser of their own: the program shows a code, a person approves it in the console
// (RFC 8628), and the program gets a token and a refresh token.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { NO_CONTROL } from '../schemas/common.ts'
import { UserAuth } from '../schemas/user.ts'

const anyone = { kind: 'public' } as const
const signedIn = { kind: 'user' } as const
/** Eight consonants, with or without the hyphen. */
const UserCode = z.object({ user_code: z.string().min(1, 'is required').max(32) })

export const ProgramAuth = UserAuth.extend({
  /** Works once, for the next token; 30 days. */
  refresh_token: z.string(),
}).meta({ id: 'ProgramAuth' })

export const programs = {
  start: operation({
    method: 'POST',
    path: '/api/auth/program/code',
    noun: 'programs',
    summary: 'Start the sign-in of a program: a code for a person to approve',
    access: anyone,
    body: z.object({
      name: z.string().trim().min(1, 'is required').max(64).regex(NO_CONTROL, 'must not have control characters'),
    }),
    response: z.object({
      /** Secret of the program. */
      device_code: z.string(),
      /** Eight letters for the person. */
      user_code: z.string(),
      /** Page of the console that asks for the code. */
      verification_uri: z.string(),
      verification_uri_complete: z.string(),
      /** Seconds. */
      expires_in: z.number().int(),
      /** Seconds between two calls for the token. */
      interval: z.number().int(),
    }),
    errors: ['TOO_MANY_REQUESTS'],
  }),
  token: operation({
    method: 'POST',
    path: '/api/auth/program/token',
    noun: 'programs',
    summary: 'Exchange an approved code, or a refresh token, for a token',
    access: anyone,
    body: z.union([
      z.strictObject({ device_code: z.string().min(1, 'is required').max(128) }),
      z.strictObject({ refresh_token: z.string().min(1, 'is required').max(128) }),
    ]),
    response: ProgramAuth,
    errors: ['CODE_PENDING', 'CODE_TOO_FAST', 'CODE_DENIED', 'CODE_EXPIRED', 'UNAUTHORIZED', 'TOO_MANY_REQUESTS'],
  }),
  describe: operation({
    method: 'POST',
    path: '/api/auth/program/describe',
    noun: 'programs',
    summary: 'The program that waits under a code: its name, address and place',
    access: signedIn,
    body: UserCode,
    response: z.object({
      name: z.string(),
      source: z.string(),
      /** City and country where the server has a file of positions; '' otherwise. */
      place: z.string(),
      /** Seconds until the code expires. */
      expires_in: z.number().int(),
    }),
    errors: ['NOT_FOUND', 'TOO_MANY_REQUESTS'],
  }),
  decide: operation({
    method: 'POST',
    path: '/api/auth/program/decide',
    noun: 'programs',
    summary: 'Approve or deny the sign-in of a program as yourself',
    access: signedIn,
    body: UserCode.extend({ approve: z.boolean() }),
    errors: ['NOT_FOUND', 'TOO_MANY_REQUESTS', 'FRESH_PROOF_REQUIRED'],
  }),
}
