// Passkeys: what people see of theirs, and the JSON that browsers exchange with the server (WebAuthn, level 3).
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { ROW_IDS, Time } from './common.ts'

export const PasskeyId = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be a UUID')
  .register(ROW_IDS, { noun: 'The passkey' })

const { min, max } = LIMITS.passkeyName
const LENGTH = `must have ${min} to ${max} characters`
export const PasskeyName = z
  .string()
  .trim()
  .min(min, LENGTH)
  .max(max, LENGTH)
  // oxlint-disable-next-line no-control-regex -- control characters are what the rule is about
  .regex(/^[^\u0000-\u001f\u007f]*$/, 'must not have control characters')

export const Passkey = z
  .object({
    id: z.string(),
    name: z.string(),
    created_at: Time,
    /** The year 1 for one that has not been used yet. */
    last_used_at: Time,
    /** True if a password manager keeps a copy that other devices of the person can use. */
    backed_up: z.boolean(),
    /** `multi-device` keys can be copied to other devices, `single-device` keys never leave theirs. */
    device_type: z.enum(['single-device', 'multi-device']),
  })
  .meta({ id: 'Passkey' })
export type Passkey = z.infer<typeof Passkey>

/** Base64url without padding, as browsers send bytes. @param length most characters */
const bytes = (length: number) =>
  z
    .string()
    .min(1, 'is required')
    .max(length, `must have at most ${length} characters`)
    .regex(/^[\w-]+$/, 'must be base64url')

/** An id has at most 1,023 bytes. */
const CredentialId = bytes(1_364)
const type = z.literal('public-key')

/** A new credential, as `PublicKeyCredential.toJSON()` writes it. */
export const NewCredential = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type,
  response: z.object({
    clientDataJSON: bytes(2_048),
    attestationObject: bytes(8_192),
    transports: z.array(z.string().max(32)).max(16).optional(),
  }),
})
export type NewCredential = z.infer<typeof NewCredential>

/** A signed challenge, as `PublicKeyCredential.toJSON()` writes it. */
export const SignedChallenge = z.object({
  id: CredentialId,
  rawId: CredentialId,
  type,
  response: z.object({
    clientDataJSON: bytes(2_048),
    authenticatorData: bytes(4_096),
    signature: bytes(4_096),
    userHandle: bytes(128).nullish(),
  }),
})
export type SignedChallenge = z.infer<typeof SignedChallenge>

const Known = z.object({ id: z.string(), type, transports: z.array(z.string()) })
const Requirement = z.enum(['required', 'preferred', 'discouraged'])

/** Options of `navigator.credentials.create`, for `parseCreationOptionsFromJSON`. */
export const CreationOptions = z
  .object({
    challenge: z.string(),
    rp: z.object({ id: z.string(), name: z.string() }),
    user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
    pubKeyCredParams: z.array(z.object({ type, alg: z.number().int() })),
    timeout: z.number().int(),
    attestation: z.literal('none'),
    excludeCredentials: z.array(Known),
    authenticatorSelection: z.object({
      residentKey: Requirement,
      requireResidentKey: z.boolean(),
      userVerification: Requirement,
    }),
  })
  .meta({ id: 'PasskeyCreationOptions' })
export type CreationOptions = z.infer<typeof CreationOptions>

/** Options of `navigator.credentials.get`, for `parseRequestOptionsFromJSON`. */
export const RequestOptions = z
  .object({
    challenge: z.string(),
    rpId: z.string(),
    timeout: z.number().int(),
    userVerification: Requirement,
    /** Empty: the person chooses among the passkeys that the browser offers. */
    allowCredentials: z.array(Known),
  })
  .meta({ id: 'PasskeyRequestOptions' })
export type RequestOptions = z.infer<typeof RequestOptions>

/** The credentials that are left, for `PublicKeyCredential.signalAllAcceptedCredentials`. */
export const AcceptedCredentials = z
  .object({ rpId: z.string(), userId: z.string(), allAcceptedCredentialIds: z.array(z.string()) })
  .meta({ id: 'AcceptedPasskeys' })
export type AcceptedCredentials = z.infer<typeof AcceptedCredentials>
