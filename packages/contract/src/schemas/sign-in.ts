// Sign-ins of a person, and the settings of sign-in as administrators of the server see and set them.
import * as z from 'zod'
import { LIMITS } from '../limits.ts'
import { Time } from './common.ts'
import { ProvisionedRole } from './scim.ts'

export const SignIn = z
  .object({
    id: z.string(),
    /** `program`: by a code that the person approved; `token`: by `POST /api/login`. */
    kind: z.enum(['browser', 'program', 'token']),
    /** Such as `Firefox on Linux`; for a program the name it gave, '' when it gave none. */
    browser: z.string(),
    user_agent: z.string(),
    source: z.string(),
    /** City and country of the source where the server has a file of positions; '' otherwise. */
    place: z.string(),
    created_at: Time,
    last_seen: Time,
    /** End of the sign-in unless it is used before. */
    expires_at: Time,
    /** True if it is the sign-in of this call. */
    current: z.boolean(),
  })
  .meta({ id: 'SignIn' })
export type SignIn = z.infer<typeof SignIn>

const Certificate = z.object({
  /** Base64 of the DER form. */
  certificate: z.string(),
  subject: z.string(),
  /** SHA-256 in hexadecimal. */
  fingerprint: z.string(),
  ends_at: Time,
})

/** The role that a group of a provider gives in a namespace. */
export const GroupRole = z
  .object({
    group: z
      .string()
      .trim()
      .min(1, 'is required')
      .max(256)
      .describe('Value of the attribute or claim with the groups, compared as it is.'),
    namespace: z.string().trim().min(1, 'is required').max(64).describe('Name of the namespace.'),
    role: ProvisionedRole,
  })
  .meta({ id: 'GroupRole' })
export type GroupRole = z.infer<typeof GroupRole>
/** Whole list; an empty one removes all. */
export const GroupRoles = z
  .array(GroupRole)
  .max(LIMITS.groupRoles, `must be at most ${LIMITS.groupRoles}`)
  .describe('Roles that groups give at each sign-in. Of several in one namespace the highest counts.')

export const OpenidProvider = z
  .object({
    id: z.string(),
    name: z.string(),
    issuer: z.string(),
    /** Redirect address that the provider has to know. */
    redirect_url: z.string(),
    client_id: z.string(),
    group_claim: z.string(),
    enabled: z.boolean(),
    /** True if people who sign out are offered to sign out at the provider too. */
    sign_out: z.boolean(),
    roles: z.array(GroupRole),
  })
  .meta({ id: 'OpenidProvider' })
export type OpenidProvider = z.infer<typeof OpenidProvider>

export const SignInSettings = z
  .object({
    /** True if passwords of this server are accepted. */
    local: z.boolean(),
    saml: z.boolean(),
    /** True if an address that a provider vouches for links the account that has it, without another proof. */
    trust_addresses: z.boolean(),
    /** True if the providers ask for a second factor, so that this server does not. */
    provider_second_factor: z.boolean(),
    provider: z.object({
      entity_id: z.string(),
      signon_url: z.string(),
      certificates: z.array(Certificate),
      metadata_url: z.string(),
      /** Last attempt to fetch the metadata. */
      metadata_checked_at: Time.nullable(),
      /** Reason why the last attempt failed; '' when it did not. */
      metadata_failure: z.string(),
      email_attribute: z.string(),
      name_attribute: z.string(),
      group_attribute: z.string(),
      roles: z.array(GroupRole),
      sign_requests: z.boolean(),
      /** True if sign-ins that the provider begins are accepted. */
      unsolicited: z.boolean(),
      /** Last successful test; null when there was none with these settings. */
      tested_at: Time.nullable(),
    }),
    /** Facts about this server for the identity provider. */
    own: z.object({
      entity_id: z.string(),
      assertion_url: z.string(),
      metadata_url: z.string(),
      /** Beginning of the redirect addresses of OpenID providers; each has one of its own. */
      openid_redirect_url: z.string(),
      certificates: z.array(Certificate),
    }),
    openid: z.array(OpenidProvider),
  })
  .meta({ id: 'SignInSettings' })
export type SignInSettings = z.infer<typeof SignInSettings>
