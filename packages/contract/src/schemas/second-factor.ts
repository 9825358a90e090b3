// The second factor of an account: authenticators, recovery codes, and proofs of having used one.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { ROW_IDS, Time } from './common.ts'

export const AuthenticatorId = z.uuid().register(ROW_IDS, { noun: 'The authenticator' })

export const AuthenticatorName = z
  .string()
  .trim()
  .min(LIMITS.authenticatorName.min, 'is required')
  .max(LIMITS.authenticatorName.max, `must have at most ${LIMITS.authenticatorName.max} characters`)
  // oxlint-disable-next-line no-control-regex -- control characters are what the rule is about
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not have control characters')

export const Authenticator = z
  .object({
    id: z.uuid(),
    name: z.string(),
    created_at: Time,
    /** `0001-01-01T00:00:00Z` until its first use after it was added. */
    last_used_at: Time,
  })
  .meta({ id: 'Authenticator' })
export type Authenticator = z.infer<typeof Authenticator>

export const SecondFactor = z
  .object({
    /** True if signing in with the password needs a second factor. */
    enabled: z.boolean(),
    authenticators: z.array(Authenticator),
    /** Number of unused recovery codes. */
    recovery_codes_left: z.number().int(),
  })
  .meta({ id: 'SecondFactor' })
export type SecondFactor = z.infer<typeof SecondFactor>

export const NewFactor = z
  .object({
    /** `otpauth://` address for authenticator apps. */
    link: z.string(),
    /** Base32. */
    secret: z.string(),
    /** Empty if the account has recovery codes: those stay valid. */
    recovery_codes: z.array(z.string()),
  })
  .meta({ id: 'NewFactor' })
export type NewFactor = z.infer<typeof NewFactor>

export const FreshProof = z
  .object({
    /** False for accounts without a second factor, which are never asked. */
    required: z.boolean(),
    /** End of the last proof of this sign-in; `0001-01-01T00:00:00Z` without one. */
    valid_until: Time,
  })
  .meta({ id: 'FreshProof' })
export type FreshProof = z.infer<typeof FreshProof>

/** Headers of every answer to a sign-in, by name, with what they say. */
export const secondStepHeaders = {
  'X-MFA-Token': 'Token for the second step when one is needed; empty otherwise',
  'X-MFA-Methods': 'What finishes the second step, separated by commas: code, passkey, recovery-code; empty otherwise',
}
