// Single sign-on: by SAML and by OpenID Connect, and how the instance's administrators set it up. Two addresses that
// browsers are sent to by providers are no calls: `POST /api/user/saml/auth` and `GET /api/user/openid/callback/{issuer}`.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { ProvisionedRole } from '../schemas/scim.ts'
import { secondStepHeaders } from '../schemas/second-factor.ts'
import { GroupRoles, OpenidProvider, SignInSettings } from '../schemas/sign-in.ts'
import { UserAuth } from '../schemas/user.ts'

export { GroupRole, OpenidProvider, SignInSettings } from '../schemas/sign-in.ts'

const anyone = { kind: 'public' } as const
const administrators = { kind: 'instance-admin' } as const
const Started = z.object({ url: z.string() })
const Start = z.object({
  /** Path of the console to open afterwards; anything else is ignored. */
  next: z.string().max(512).optional(),
  /** True: the provider asks the person to prove a credential, whatever session it has; only then is it a fresh proof. */
  fresh: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .transform((text) => text === 'true'),
})
const Secret = z.string().min(1, 'is required').max(128)
const Attribute = z.string().trim().min(1, 'is required').max(256)
const HttpUrl = z
  .string()
  .max(2_048)
  .regex(/^https?:\/\/[A-Za-z0-9.-]{1,253}(:\d{1,5})?(\/[\w\-./~%?=&:+]{0,1500})?$/, 'must be an http or https address')
const ProviderId = z.object({ id: z.uuid('must be a UUID') })

/** The SAML provider, described in one of three ways, and its options; what is left out stays. */
export const SamlProviderBody = z.object({
  metadata: z.string().max(262_144).optional(),
  metadata_url: HttpUrl.optional(),
  entity_id: z.string().trim().min(1, 'is required').max(1_024).optional(),
  signon_url: HttpUrl.optional(),
  /** PEM or base64. */
  certificates: z.array(z.string().max(16_384)).min(1).max(10).optional(),
  email_attribute: Attribute.optional(),
  name_attribute: Attribute.optional(),
  group_attribute: Attribute.optional(),
  roles: GroupRoles.optional(),
  sign_requests: z.boolean().optional(),
  unsolicited: z.boolean().optional(),
})

export const saml = {
  start: operation({
    method: 'GET',
    path: '/api/user/saml/auth',
    noun: 'saml',
    summary: 'Address of the identity provider to send the person to',
    access: anyone,
    query: Start,
    response: Started,
    errors: ['SAML_DISABLED'],
  }),
}

export const singleSignOn = {
  exchange: operation({
    method: 'POST',
    path: '/api/auth/session/exchange',
    noun: 'single-sign-on',
    summary: 'Start the browser session of a single sign-on with the one-use token of the address',
    access: anyone,
    body: z.object({ token: Secret }),
    response: UserAuth,
    headers: secondStepHeaders,
    errors: ['UNAUTHORIZED', 'BAD_CREDENTIALS', 'MFA_REQUIRED', 'ORIGIN_REFUSED'],
  }),
  link: operation({
    method: 'POST',
    path: '/api/auth/session/link',
    noun: 'single-sign-on',
    summary:
      'Link an identity to the existing account with its address, by the password of the account and its second factor',
    access: anyone,
    body: z.object({ token: Secret, password: z.string().min(1, 'is required').max(1_024) }),
    response: UserAuth,
    headers: secondStepHeaders,
    errors: [
      'UNAUTHORIZED',
      'BAD_CREDENTIALS',
      'MFA_REQUIRED',
      'LOCKED_OUT',
      'ORIGIN_REFUSED',
      'LOCAL_SIGN_IN_DISABLED',
    ],
  }),
  sendProof: operation({
    method: 'POST',
    path: '/api/auth/session/link/mail',
    noun: 'single-sign-on',
    summary: 'Mail the owner of the existing account a link that links an identity to it, once for each sign-in',
    access: anyone,
    body: z.object({ token: Secret }),
    response: z.object({
      /** False if the account has a second factor, or no mail server is set: only the password proves it then. */
      sent: z.boolean(),
    }),
    errors: ['UNAUTHORIZED', 'ORIGIN_REFUSED', 'LOCAL_SIGN_IN_DISABLED'],
  }),
  linkByMail: operation({
    method: 'POST',
    path: '/api/auth/session/link/proof',
    noun: 'single-sign-on',
    summary:
      'Link an identity to the existing account by the one-use token of the mail, in the browser that asked for it',
    access: anyone,
    body: z.object({ token: Secret }),
    response: UserAuth,
    headers: secondStepHeaders,
    errors: ['UNAUTHORIZED', 'BAD_CREDENTIALS', 'ORIGIN_REFUSED', 'LOCAL_SIGN_IN_DISABLED'],
  }),
  settings: operation({
    method: 'GET',
    path: '/api/instance/sign-in',
    noun: 'single-sign-on',
    summary: 'How people may sign in to this server',
    access: administrators,
    response: SignInSettings,
  }),
  update: operation({
    method: 'PATCH',
    path: '/api/instance/sign-in',
    noun: 'single-sign-on',
    summary: 'Switch ways to sign in on or off; one stays on',
    access: administrators,
    body: z.object({
      local: z.boolean().optional(),
      saml: z.boolean().optional(),
      trust_addresses: z.boolean().optional(),
      provider_second_factor: z.boolean().optional(),
    }),
    response: SignInSettings,
    errors: ['FRESH_PROOF_REQUIRED'],
  }),
  setProvider: operation({
    method: 'PUT',
    path: '/api/instance/sign-in/saml',
    noun: 'single-sign-on',
    summary: 'Set the SAML identity provider by its metadata, their address, or by hand; SAML is then off until a test',
    access: administrators,
    body: SamlProviderBody,
    bodyBytes: 300_000,
    response: SignInSettings,
    errors: ['FRESH_PROOF_REQUIRED', 'IDENTITY_PROVIDER_FAILED'],
  }),
  test: operation({
    method: 'POST',
    path: '/api/instance/sign-in/saml/test',
    noun: 'single-sign-on',
    summary: 'Begin a test with the identity provider, which signs nobody in',
    access: administrators,
    response: Started,
    errors: ['SAML_DISABLED'],
  }),
  check: operation({
    method: 'POST',
    path: '/api/instance/sign-in/saml/check',
    noun: 'single-sign-on',
    summary: 'Whether a response of the identity provider would be accepted, and why; signs nobody in',
    access: administrators,
    body: z.object({ response: z.string().min(1, 'is required').max(90_000) }),
    bodyBytes: 100_000,
    response: z.object({
      accepted: z.boolean(),
      /** Why it is refused; '' when it is accepted. */
      reason: z.string(),
      subject: z.string(),
      email: z.string(),
      name: z.string(),
      /** Attributes of the mappings that it lacks. */
      missing: z.array(z.string()),
      attributes: z.array(z.object({ name: z.string(), values: z.array(z.string()) })),
      /** Outcome of signing in with it. */
      effect: z.enum(['none', 'sign-in', 'create', 'link', 'ask', 'refuse']),
      /**
       * `named`: the attribute of groups is there. `none`: it is missing, which counts as no groups. `too-many`: the provider
       * has more than it sends, so that roles stay as they are.
       */
      groups: z.enum(['named', 'none', 'too-many']),
      /** What its groups would do to memberships. */
      roles: z.array(
        z.object({
          namespace: z.string(),
          /** Empty when the groups give none. */
          role: z.enum([...ProvisionedRole.options, '']),
          /** `by-hand`: another way made the membership, which stays; `scim`: provisioning decides there. */
          outcome: z.enum(['add', 'change', 'keep', 'remove', 'by-hand', 'scim']),
        }),
      ),
    }),
  }),
  addKey: operation({
    method: 'POST',
    path: '/api/instance/sign-in/saml/keys',
    noun: 'single-sign-on',
    summary: 'Begin a rollover: add a key to the metadata, which is not used for signing yet',
    access: administrators,
    response: SignInSettings,
    errors: ['FRESH_PROOF_REQUIRED', 'CONFLICT'],
  }),
  removeKey: operation({
    method: 'DELETE',
    path: '/api/instance/sign-in/saml/keys',
    noun: 'single-sign-on',
    summary: 'End a rollover: the older key goes',
    access: administrators,
    response: SignInSettings,
    errors: ['FRESH_PROOF_REQUIRED'],
  }),
}

/** An OpenID provider as it is added. */
export const OpenidProviderBody = z.object({
  name: z.string().trim().min(1, 'is required').max(60),
  issuer: HttpUrl,
  client_id: z.string().trim().min(1, 'is required').max(512),
  client_secret: z.string().min(1, 'is required').max(1_024),
  group_claim: z.string().trim().min(1, 'is required').max(256).default('groups'),
  enabled: z.boolean().default(true),
  sign_out: z.boolean().default(true),
  roles: GroupRoles.default([]),
})

export const openid = {
  start: operation({
    method: 'GET',
    path: '/api/user/openid/{id}/auth',
    noun: 'openid',
    summary: 'Address of an OpenID provider to send the person to',
    access: anyone,
    params: ProviderId,
    query: Start,
    response: Started,
    errors: ['NOT_FOUND', 'IDENTITY_PROVIDER_FAILED'],
  }),
  signOut: operation({
    method: 'GET',
    path: '/api/user/openid/{id}/logout',
    noun: 'openid',
    summary: 'Address that ends the session at an OpenID provider; empty when it has none, or is not to offer it',
    access: anyone,
    params: ProviderId,
    response: Started,
    errors: ['NOT_FOUND', 'IDENTITY_PROVIDER_FAILED'],
  }),
  add: operation({
    method: 'POST',
    path: '/api/instance/sign-in/openid',
    noun: 'openid',
    summary: 'Add an OpenID provider',
    access: administrators,
    body: OpenidProviderBody,
    response: OpenidProvider,
    errors: ['FRESH_PROOF_REQUIRED', 'CONFLICT'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/api/instance/sign-in/openid/{id}',
    noun: 'openid',
    summary: 'Change an OpenID provider; its issuer stays, because people are known by it',
    access: administrators,
    params: ProviderId,
    body: z.object({
      name: OpenidProviderBody.shape.name.optional(),
      client_id: OpenidProviderBody.shape.client_id.optional(),
      client_secret: OpenidProviderBody.shape.client_secret.optional(),
      group_claim: z.string().trim().min(1, 'is required').max(256).optional(),
      enabled: z.boolean().optional(),
      sign_out: z.boolean().optional(),
      roles: GroupRoles.optional(),
    }),
    response: OpenidProvider,
    errors: ['FRESH_PROOF_REQUIRED', 'CONFLICT', 'NOT_FOUND'],
  }),
  remove: operation({
    method: 'DELETE',
    path: '/api/instance/sign-in/openid/{id}',
    noun: 'openid',
    summary: 'Remove an OpenID provider; the accounts stay',
    access: administrators,
    params: ProviderId,
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  test: operation({
    method: 'POST',
    path: '/api/instance/sign-in/openid/{id}/test',
    noun: 'openid',
    summary: 'Whether the discovery document of an OpenID provider can be read',
    access: administrators,
    params: ProviderId,
    response: z.object({ authorization_endpoint: z.string(), end_session_endpoint: z.string() }),
    errors: ['NOT_FOUND', 'IDENTITY_PROVIDER_FAILED'],
  }),
}
