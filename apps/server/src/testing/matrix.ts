// The table of expected statuses by call and caller. It follows from the contract alone: access, permission, API key
// access, implementation state and edition; the few answers that depend on the sample input are listed.
// `npm run routes` prints it, matrix.test.ts checks it against a running server.
import { type Operation, pathParameters } from '@bowline/contract/operation'
import { ROLES, type Role, roleMay } from '@bowline/contract/roles'
import { JOB_CALLS } from './samples.ts'

export type MatrixEdition = 'community' | 'cloud'

/** A kind of credential that calls are tried with. */
export interface Caller {
  readonly name: string
  readonly kind: 'nobody' | 'device' | 'user' | 'api-key'
  /** Role in the credential's namespace; none if it belongs to no namespace. */
  readonly role?: Role
  /** The credential's namespace is not that of the rows. */
  readonly foreign?: true
  /** Administers the server. */
  readonly instanceAdmin?: true
}

export const CALLERS = [
  { name: 'anonymous', kind: 'nobody' },
  { name: 'unknown API key', kind: 'nobody' },
  { name: 'expired token', kind: 'nobody' },
  { name: 'forged token, alg none', kind: 'nobody' },
  { name: 'forged token, HS256 with the public key', kind: 'nobody' },
  { name: 'device token', kind: 'device' },
  { name: 'removed member', kind: 'nobody' },
  { name: 'pending member', kind: 'nobody' },
  { name: 'pending member without a namespace', kind: 'user' },
  { name: 'administrator of the server', kind: 'user', instanceAdmin: true },
  { name: 'owner of another tenant', kind: 'user', role: 'owner', foreign: true },
  { name: 'API key of another tenant', kind: 'api-key', role: 'owner', foreign: true },
  ...ROLES.map((role) => ({ name: role, kind: 'user', role }) as const),
  ...ROLES.map((role) => ({ name: `API key: ${role}`, kind: 'api-key', role }) as const),
] as const satisfies readonly Caller[]
export type CallerName = (typeof CALLERS)[number]['name']

/** Answers of calls without credential: their samples are invalid on purpose, except reads. */
const PUBLIC: Readonly<Record<string, number>> = {
  'auth.login': 401,
  'auth.createSession': 401,
  'programs.token': 400,
  'auth.refreshSession': 401,
  'auth.authenticateDevice': 404,
  // Nothing signed the sample, and no agent has its secret.
  'pairings.start': 400,
  'pairings.poll': 400,
  'mfa.authenticate': 401,
  'mfa.finishSession': 401,
  'mfa.recover': 403,
  'mfa.reset': 403,
  // The server of the table has no host name.
  'passkeys.signInOptions': 501,
  'passkeys.login': 501,
  'passkeys.createSession': 501,
  'instance.setup': 403,
  'announcements.get': 404,
  'users.resetPassword': 404,
  'users.validateAccount': 404,
  'members.inviteStatus': 403,
  'namespaces.download': 404,
  'users.downloadExport': 404,
  'singleSignOn.exchange': 401,
  'singleSignOn.link': 401,
  'singleSignOn.sendProof': 401,
  'singleSignOn.linkByMail': 401,
  // Neither provider is set up.
  'saml.start': 501,
  'openid.start': 404,
  'openid.signOut': 404,
  'billing.webhook': 424,
}

/** The server of the table has no payment provider. */
const WITHOUT_PROVIDER: readonly string[] = [
  'billing.createCustomer',
  'billing.getCustomer',
  'billing.createSubscription',
  'billing.getSubscription',
  'billing.attachPaymentMethod',
  'billing.detachPaymentMethod',
  'billing.setDefaultPaymentMethod',
  'billing.portal',
  'billing.report',
]

/** The server of the table has no host name for passkeys, and its people have passwords. */
const PASSKEYS: Readonly<Record<string, number>> = {
  'passkeys.registerOptions': 501,
  'passkeys.register': 501,
  'passkeys.proveOptions': 501,
  'passkeys.prove': 501,
  'passkeys.rename': 404,
  'passkeys.remove': 404,
  // Nobody has accepted it by hand.
  'devices.undoAccept': 409,
  'containers.undoAccept': 409,
  'passkeys.removePassword': 409,
  'passkeys.setPassword': 409,
}

/** Paths of these identify rows by names that every namespace may use. */
const NAMES: readonly string[] = ['api-keys', 'tags']

const WITHOUT_FACTOR = ['mfa.disable', 'mfa.rename', 'mfa.remove', 'mfa.renewRecoveryCodes', 'mfa.prove']

const OF_NOBODY = [
  'administration.endSignIns',
  'administration.disablePerson',
  'administration.enablePerson',
  'administration.setAdministrator',
  'administration.setMaxNamespaces',
  'administration.disableNamespace',
  'administration.enableNamespace',
  'administration.handOver',
  'administration.restoreNamespace',
]

/** The status that the contract requires. */
export function expectedStatus(id: string, operation: Operation, caller: Caller, edition: MatrixEdition): number {
  const { access } = operation
  // Outside the platform these calls do not exist.
  if (access.kind === 'internal') return 404
  if (access.kind === 'device' && caller.kind !== 'device') return 401
  if (access.kind === 'user' || access.kind === 'member' || access.kind === 'instance-admin') {
    if (caller.kind === 'nobody' || caller.kind === 'device') return 401
    if (caller.kind === 'api-key' && (access.kind !== 'member' || !access.keys)) return 403
  }
  if (access.kind === 'instance-admin' && !caller.instanceAdmin) return 403
  if (access.kind === 'member') {
    if (caller.role === undefined) return 403
    if (access.permission && !roleMay(caller.role, access.permission)) return 403
    // The tenant in a path is checked before the call itself.
    if (caller.foreign && pathParameters(operation.path).includes('tenant')) return 404
  }
  if (operation.cloudOnly && edition !== 'cloud') return 404
  // Nobody can register in the community edition unless it is set.
  if (id === 'users.register' && edition === 'community') return 403
  if (access.kind === 'public') return PUBLIC[id] ?? 200
  const namesRow = pathParameters(operation.path).length > 0 && !NAMES.includes(operation.noun)
  if (access.kind === 'member' && caller.foreign && namesRow) return 404
  return bySample(id, caller, edition) ?? operation.status ?? 200
}

/** Expected failures that depend on the sample. */
function bySample(id: string, caller: Caller, edition: MatrixEdition): number | undefined {
  if (id === 'users.updatePassword') return 400
  // Nothing waits under the code of the sample.
  if (id === 'programs.describe' || id === 'programs.decide') return 404
  if (id === 'pairings.describe' || id === 'pairings.confirm') return 404
  if (['heldLogins.get', 'heldLogins.approve', 'heldLogins.deny'].includes(id)) return 404
  // The sign-in of the sample belongs to nobody.
  if (id === 'users.endSignIn') return 404
  // Nobody has a linked identity.
  if (id === 'users.removeIdentity' || id === 'users.removeIdentityOf') return 404
  // The secret was never generated; nobody has a second factor.
  if (id === 'mfa.enable') return 400
  if (WITHOUT_FACTOR.includes(id)) return 404
  const passkeys = PASSKEYS[id]
  if (passkeys !== undefined) return passkeys
  // No identity provider is set up.
  if (id === 'singleSignOn.test') return 501
  if (id === 'openid.update' || id === 'openid.remove' || id === 'openid.test') return 404
  // The namespace has a different login key.
  if (id === 'auth.signChallenge') return 404
  if (id === 'auth.switchNamespace' && (caller.foreign || caller.role === undefined)) return 404
  if (id === 'members.leave' && (caller.foreign || caller.instanceAdmin)) return 404
  // Nobody is in the session of the sample.
  if (id === 'sessions.join') return 409
  // A visit ends with its sign-in, and the tokens of the table have none.
  if (id === 'tunnels.visit') return 404
  // The body names the device.
  if (id === 'firewall.evaluate' && caller.foreign) return 404
  // The body names the rules, which are not all of the caller's.
  if (id === 'firewall.setOrder' && caller.foreign) return 409
  if (id === 'members.leave' && caller.role === 'owner') return 403
  // The agents of the server are not signed.
  if (id === 'agentUpdates.start') return 404
  // The connector is switched off.
  if (id === 'connectors.info') return 424
  // The action decides about the permission.
  if (id === 'deviceJobs.create' && caller.role && !roleMay(caller.role, 'deviceTagUpdate')) return 403
  // The view of the sample is the namespace's.
  if (['views.update', 'views.remove'].includes(id) && caller.role && !roleMay(caller.role, 'deviceUpdate')) return 403
  // The access of the sample is the owner's.
  if (id === 'accessRequests.end' && caller.role && !roleMay(caller.role, 'firewallEdit')) return 404
  // The rule of the sample mails, and has no secret.
  if (id === 'alerts.renewSecret') return 404
  // The device of the sample has an agent.
  if (id === 'devices.acceptHostKey') return 404
  // The job of the sample is the owner's, and can be undone once.
  if (JOB_CALLS.includes(id) && caller.role !== 'owner') return 404
  // No announcement has the id of the sample.
  if (['announcements.markRead', 'announcements.update', 'announcements.remove'].includes(id)) return 404
  // Neither the person nor the namespace of the sample exists, nor the new owner.
  if (OF_NOBODY.includes(id)) return 404
  // No mail has failed, and no mail server is set.
  if (id === 'mails.resend' || id === 'mails.link') return 404
  if (id === 'mails.test') return 400
  // Everybody here owns a namespace of their own.
  if (id === 'users.remove') return 403
  // Only the invited person has an invitation, and the secret is wrong.
  if (id === 'members.acceptInvite') return isInvited(caller) ? 403 : 404
  // The namespace is not deleted.
  if (id === 'namespaces.restore') return 404
  // Nobody has given a fresh proof.
  if (id === 'namespaces.export') return 403
  if (id === 'users.export') return caller.instanceAdmin ? 200 : 403
  if (id === 'namespaces.support' && edition === 'cloud') return 402
  if (WITHOUT_PROVIDER.includes(id)) return 424
  if (id === 'billing.chooseDevices' && caller.foreign) return 400
  return undefined
}

function isInvited(caller: Caller & { readonly name: string }): boolean {
  return caller.name === 'pending member without a namespace'
}

/** Calls that differ by edition are tried in both; others in the community edition only. */
const DIFFERING: readonly string[] = ['users', 'members', 'namespaces', 'billing']

export function isTriedIn(edition: MatrixEdition, operation: Operation): boolean {
  return edition === 'community' || operation.cloudOnly === true || DIFFERING.includes(operation.noun)
}
