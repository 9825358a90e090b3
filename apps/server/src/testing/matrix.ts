// The table of expected statuses by call and caller. It follows from the contract alone: access, permission, API key
// access, implementation state and edition; the few answers that depend on the sample input are listed.
// `npm run routes` prints it, matrix.test.ts checks it against a running server.
import { type Operation, pathParameters } from '@bowline/contract/operation'
import { ROLES, type Role, roleMay } from '@bowline/contract/roles'

export type MatrixEdition = 'community' | 'cloud'

/** A kind of credential that calls are tried with. */
export interface Caller {
  readonly name: string
  readonly kind: 'nobody' | 'device' | 'user' | 'api-key'
  /** Role in the credential's namespace; none if it belongs to no namespace. */
  readonly role?: Role
  /** The credential's namespace is not that of the rows. */
  readonly foreign?: true
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
  'auth.refreshSession': 401,
  'auth.authenticateDevice': 404,
  'instance.setup': 403,
  'announcements.get': 404,
}

/** Paths of these identify rows by names that every namespace may use. */
const NAMES: readonly string[] = ['api-keys', 'tags']

/** The status that the contract requires. */
export function expectedStatus(id: string, operation: Operation, caller: Caller, edition: MatrixEdition): number {
  const { access } = operation
  // Outside the platform these calls do not exist.
  if (access.kind === 'internal') return 404
  if (access.kind === 'device' && caller.kind !== 'device') return 401
  if (access.kind === 'user' || access.kind === 'member') {
    if (caller.kind === 'nobody' || caller.kind === 'device') return 401
    if (caller.kind === 'api-key' && (access.kind === 'user' || !access.keys)) return 403
  }
  if (access.kind === 'member') {
    if (caller.role === undefined) return 403
    if (access.permission && !roleMay(caller.role, access.permission)) return 403
    // The tenant in a path is checked before the call itself.
    if (caller.foreign && pathParameters(operation.path).includes('tenant')) return 404
  }
  if (operation.cloudOnly && edition !== 'cloud') return 404
  // The connector in a path is looked up before the call is refused.
  if (operation.notYet && id !== 'connectors.info') return 501
  if (access.kind === 'public') return PUBLIC[id] ?? 200
  const namesRow = pathParameters(operation.path).length > 0 && !NAMES.includes(operation.noun)
  if (access.kind === 'member' && caller.foreign && namesRow) return 404
  return bySample(id, caller, edition) ?? operation.status ?? 200
}

/** Expected failures that depend on the sample. */
function bySample(id: string, caller: Caller, edition: MatrixEdition): number | undefined {
  if (id === 'users.updatePassword') return 400
  // The namespace has a different login key.
  if (id === 'auth.signChallenge') return 404
  if (id === 'auth.switchNamespace' && (caller.foreign || caller.role === undefined)) return 404
  if (id === 'members.leave' && caller.foreign) return 404
  // The body names the device.
  if (id === 'firewall.evaluate' && caller.foreign) return 404
  // The body names the rules, which are not all of the caller's.
  if (id === 'firewall.setOrder' && caller.foreign) return 409
  if (id === 'members.leave' && caller.role === 'owner') return 403
  if (id === 'connectors.info') return 501
  // The invitation cannot be sent.
  if (id === 'members.add' && edition === 'cloud') return 501
  if (id === 'namespaces.support' && edition === 'cloud') return 402
  if (id === 'billing.chooseDevices' && caller.foreign) return 400
  return undefined
}

/** Calls that differ by edition are tried in both; others in the community edition only. */
const DIFFERING: readonly string[] = ['members', 'namespaces', 'billing']

export function isTriedIn(edition: MatrixEdition, operation: Operation): boolean {
  return edition === 'community' || operation.cloudOnly === true || DIFFERING.includes(operation.noun)
}
