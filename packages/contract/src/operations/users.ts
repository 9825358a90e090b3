// User accounts.
import * as z from 'zod'
import { operation } from '../operation.ts'
import { AccountEvent } from '../schemas/account-event.ts'
import { Email, Page, Password, PersonName, TenantId, Username } from '../schemas/common.ts'
import { ExportLink } from '../schemas/namespace.ts'
import { SignIn } from '../schemas/sign-in.ts'
import { LinkedIdentity, UserAuth } from '../schemas/user.ts'

const anyone = { kind: 'public' } as const
const signedIn = { kind: 'user' } as const
const administrators = { kind: 'instance-admin' } as const
const Identifier = z.string().min(1, 'is required').max(320)
/** An empty text leaves the field unchanged. */
const optional = <S extends z.ZodType>(schema: S) => z.union([z.literal(''), schema]).optional()
const byId = z.object({ id: z.string().max(64) })

/** Changes a user may make to their own account. */
const AccountChanges = z.object({
  name: optional(PersonName),
  username: optional(Username),
  email: optional(Email),
  recovery_email: optional(Email),
  password: optional(Password),
  current_password: z.string().max(1_024).optional(),
})

export const users = {
  update: operation({
    method: 'PATCH',
    path: '/api/users',
    noun: 'users',
    summary: 'Change your own account; a new password and a new address need the current password',
    access: signedIn,
    body: AccountChanges,
    errors: ['CONFLICT', 'NOT_FOUND', 'LOCKED_OUT', 'TOO_MANY_REQUESTS', 'FRESH_PROOF_REQUIRED'],
    fieldNames: true,
  }),
  updateData: operation({
    method: 'PATCH',
    path: '/api/users/{id}/data',
    noun: 'users',
    summary: 'Change your own account (deprecated: PATCH /api/users)',
    deprecated: true,
    access: signedIn,
    params: byId,
    body: AccountChanges.omit({ password: true }),
    errors: ['CONFLICT', 'NOT_FOUND', 'NOT_YOURS', 'LOCKED_OUT', 'TOO_MANY_REQUESTS', 'FRESH_PROOF_REQUIRED'],
    fieldNames: true,
  }),
  updatePassword: operation({
    method: 'PATCH',
    path: '/api/users/{id}/password',
    noun: 'users',
    summary: 'Change your own password (deprecated: PATCH /api/users)',
    deprecated: true,
    access: signedIn,
    params: byId,
    body: z.object({ current_password: z.string().min(1, 'is required').max(1_024), new_password: Password }),
    errors: ['NOT_FOUND', 'NOT_YOURS', 'LOCKED_OUT', 'TOO_MANY_REQUESTS', 'FRESH_PROOF_REQUIRED'],
  }),
  listActivity: operation({
    method: 'GET',
    path: '/api/users/activity',
    noun: 'users',
    summary: 'Events of your own account, newest first: sign-ins, failures, changes',
    access: signedIn,
    query: Page,
    response: z.array(AccountEvent),
    total: true,
  }),
  listSignIns: operation({
    method: 'GET',
    path: '/api/users/sign-ins',
    noun: 'users',
    summary: 'Your living sign-ins, last used first: browser, place, last use',
    access: signedIn,
    query: Page,
    response: z.array(SignIn),
    total: true,
  }),
  endSignIn: operation({
    method: 'DELETE',
    path: '/api/users/sign-ins/{id}',
    noun: 'users',
    summary: 'End one of your sign-ins with all its tokens',
    access: signedIn,
    params: z.object({ id: z.uuid() }),
    errors: ['NOT_FOUND'],
  }),
  export: operation({
    method: 'POST',
    path: '/api/users/export',
    noun: 'users',
    summary: 'A link to an archive with everything that the server has about you; it works once',
    access: signedIn,
    response: ExportLink,
    errors: ['FRESH_PROOF_REQUIRED', 'EXPORT_RUNNING'],
  }),
  downloadExport: operation({
    method: 'GET',
    path: '/api/user-exports/{link}',
    noun: 'users',
    summary: 'The archive of a link to your personal data, as a compressed tar file',
    access: anyone,
    params: z.object({ link: z.string().max(64) }),
    errors: ['NOT_FOUND', 'UNAVAILABLE'],
  }),
  listIdentities: operation({
    method: 'GET',
    path: '/api/users/identities',
    noun: 'users',
    summary: 'Identities of sign-in providers that are linked to your account, the oldest first',
    access: signedIn,
    response: z.array(LinkedIdentity),
  }),
  removeIdentity: operation({
    method: 'DELETE',
    path: '/api/users/identities/{id}',
    noun: 'users',
    summary:
      'Remove one of your linked identities; needs a second factor used lately, or without one the password or a recent sign-in',
    access: signedIn,
    params: z.object({ id: z.uuid() }),
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED', 'ONLY_WAY_IN'],
  }),
  listIdentitiesOf: operation({
    method: 'GET',
    path: '/api/instance/users/{user}/identities',
    noun: 'users',
    summary: 'Linked identities of a person, named by id, username or address',
    access: administrators,
    params: z.object({ user: Identifier }),
    response: z.array(LinkedIdentity),
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  removeIdentityOf: operation({
    method: 'DELETE',
    path: '/api/instance/users/{user}/identities/{id}',
    noun: 'users',
    summary: 'Remove a linked identity of a person; their sessions stay',
    access: administrators,
    params: z.object({ user: Identifier, id: z.uuid() }),
    errors: ['NOT_FOUND', 'FRESH_PROOF_REQUIRED'],
  }),
  getSecurity: operation({
    method: 'GET',
    path: '/api/users/security',
    noun: 'users',
    summary: 'Whether the sessions of the namespace are recorded',
    access: { kind: 'member', keys: true },
    response: z.boolean(),
    errors: ['NOT_FOUND'],
  }),
  setSecurity: operation({
    method: 'PUT',
    path: '/api/users/security/{tenant}',
    noun: 'users',
    summary: 'Switch the recording of sessions on or off',
    access: { kind: 'member', permission: 'namespaceEnableSessionRecord', keys: true },
    params: z.object({ tenant: TenantId }),
    body: z.object({ session_record: z.boolean().default(false) }),
    errors: ['FRESH_PROOF_REQUIRED', 'NOT_FOUND'],
  }),
  register: operation({
    method: 'POST',
    path: '/api/register',
    noun: 'users',
    summary: 'Create an account; the answer has a body only when an invitation has confirmed it',
    access: anyone,
    body: z.object({
      name: PersonName,
      email: Email,
      username: Username,
      password: Password,
      email_marketing: z.boolean(),
      sig: z.string().max(512).optional(),
    }),
    response: UserAuth.optional(),
    errors: ['CONFLICT', 'REGISTRATION_CLOSED', 'TOO_MANY_REQUESTS', 'LOCAL_SIGN_IN_DISABLED'],
    fieldNames: true,
  }),
  resendEmail: operation({
    method: 'POST',
    path: '/api/user/resend_email',
    noun: 'users',
    summary: 'Send the confirmation mail again; the response does not disclose whether anybody waits for it',
    access: anyone,
    body: z.object({ username: Identifier }),
    errors: ['TOO_MANY_REQUESTS', 'LOCAL_SIGN_IN_DISABLED'],
  }),
  recoverPassword: operation({
    method: 'POST',
    path: '/api/user/recover_password',
    noun: 'users',
    summary: 'Mail a link that sets a new password; the response does not disclose whether the account exists',
    access: anyone,
    body: z.object({ username: Identifier }),
    errors: ['TOO_MANY_REQUESTS', 'LOCAL_SIGN_IN_DISABLED'],
  }),
  resetPassword: operation({
    method: 'POST',
    path: '/api/user/{uid}/update_password',
    noun: 'users',
    summary: 'Set a new password with the token of the mail',
    access: anyone,
    params: z.object({ uid: z.string().max(64) }),
    body: z.object({ password: Password, token: z.string().min(1, 'is required').max(512) }),
    errors: ['NOT_FOUND', 'TOO_MANY_REQUESTS', 'LOCAL_SIGN_IN_DISABLED'],
  }),
  validateAccount: operation({
    method: 'GET',
    path: '/api/user/validation_account',
    noun: 'users',
    summary: 'Confirm an e-mail address with the token of the mail',
    access: anyone,
    query: z.object({ email: Email, token: z.string().min(1, 'is required').max(512) }),
    errors: ['NOT_FOUND', 'CONFLICT', 'TOO_MANY_REQUESTS', 'REGISTRATION_CLOSED'],
  }),
  remove: operation({
    method: 'DELETE',
    path: '/api/user',
    noun: 'users',
    summary: 'Delete your own account and its memberships; owners of a namespace are refused',
    access: signedIn,
    status: 204,
    errors: ['OWNER_REFUSED', 'LAST_ADMINISTRATOR', 'FRESH_PROOF_REQUIRED'],
  }),
}
