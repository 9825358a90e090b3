// Members of an import: each is invited, unless the account itself has moved here too. Whoever owned the namespace there owns it
// here only by an administrator of the server, who gives away what is theirs.
import { ApiError } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { Email, type TenantId, UserId } from '@bowline/contract/schemas/common'
import { RoleInput } from '@bowline/contract/schemas/namespace'
import type { UserAuth } from '@bowline/contract/schemas/user'
import type { ServerClient } from '../client/client.ts'
import { refusalOf } from './calls.ts'
import type { OldMember } from './file.ts'
import type { Line } from './report.ts'

const STRANGER =
  'Has no account, and nobody can register at this server: its operator sets BOWLINE_REGISTRATION=invited, or creates the account.'
const WAS_OWNER = 'Was the owner there; as an administrator they can be made the owner here.'

/** There is no such account, too many such addresses were asked for, or nobody has proven the address. */
const INVITED_INSTEAD: ReadonlySet<string> = new Set(['NOT_FOUND', 'TOO_MANY_REQUESTS', 'ADDRESS_UNPROVEN'])
const OWNS = 'Owns the namespace, as there; you administer it.'

export interface MembersTarget {
  readonly tenant: TenantId
  /** Whoever imports. */
  readonly person: Pick<UserAuth, 'email' | 'instance_admin'>
}

/**
 * Adds or invites the members who are not in the namespace; those who are keep their role.
 * @param call undefined: nothing is sent, and all who can be invited count as created
 */
export async function importMembers(
  call: ServerClient['call'] | undefined,
  target: MembersTarget,
  members: readonly OldMember[],
  isDryRun: boolean,
): Promise<Line[]> {
  const params = { tenant: target.tenant }
  const here = call ? (await call(operations.namespaces.get, { params })).body.members : []
  const known = new Set([target.person.email, ...here.map(({ email }) => email)].map((email) => email.toLowerCase()))
  const lines: Line[] = []
  for (const old of members) {
    const isOwner = old.role === 'owner'
    const line = { what: 'member', name: old.email, reason: isOwner ? WAS_OWNER : null }
    const [email, role] = [Email.safeParse(old.email), RoleInput.safeParse(old.role)]
    if (!email.success || !role.success) {
      const reason = email.success ? `There is no role ${old.role} here.` : 'The address must be an e-mail address.'
      lines.push({ ...line, outcome: 'refused', reason })
      continue
    }
    if (known.has(email.data)) lines.push({ ...line, outcome: 'unchanged', reason: null })
    else if (!call || isDryRun) lines.push({ ...line, outcome: 'created' })
    else {
      const invited = { email: email.data, role: role.data === 'owner' ? ('administrator' as const) : role.data }
      const added = old.has_account ? await add(call, params, invited) : undefined
      const isGiven = added !== undefined && isOwner && (await handOver(call, target, added))
      lines.push({
        ...line,
        ...(added?.line ?? (await invite(call, params, invited))),
        ...(isGiven && { reason: OWNS }),
      })
    }
    known.add(email.data)
  }
  return lines
}

interface Invited {
  readonly email: string
  readonly role: 'administrator' | 'operator' | 'observer'
}

interface Added {
  readonly line: Pick<Line, 'outcome'> & { readonly reason?: string }
  /** Of the account; undefined: invited, where the server adds nobody without their doing. */
  readonly id: string | undefined
}

/** @returns undefined when nobody has made the account here */
async function add(
  call: ServerClient['call'],
  params: { readonly tenant: TenantId },
  body: Invited,
): Promise<Added | undefined> {
  try {
    const { members } = (await call(operations.members.add, { params, body })).body
    const member = members.find(({ email, status }) => email === body.email && status === 'accepted')
    return { line: { outcome: 'created', ...(member ? {} : { reason: 'An invitation was mailed.' }) }, id: member?.id }
  } catch (error) {
    if (error instanceof ApiError && INVITED_INSTEAD.has(error.code ?? '')) return undefined
    return { line: { outcome: 'refused', reason: refusalOf(error) }, id: undefined }
  }
}

/** Makes the owner there the owner here, if the namespace belongs to whoever imports. @returns whether it was done */
async function handOver(
  call: ServerClient['call'],
  { tenant, person }: MembersTarget,
  { id }: Added,
): Promise<boolean> {
  if (id === undefined || !person.instance_admin) return false
  const { members } = (await call(operations.namespaces.get, { params: { tenant } })).body
  if (!members.some(({ email, role }) => role === 'owner' && email === person.email)) return false
  await call(operations.administration.handOver, { params: { namespace: tenant }, body: { user: UserId.parse(id) } })
  return true
}

async function invite(
  call: ServerClient['call'],
  params: { readonly tenant: TenantId },
  body: Invited,
): Promise<Pick<Line, 'outcome' | 'link'> & { readonly reason?: string }> {
  try {
    const { link } = (await call(operations.members.invite, { params, body })).body
    return { outcome: 'created', link }
  } catch (error) {
    const isStranger = error instanceof ApiError && error.code === 'NOT_FOUND'
    return { outcome: 'refused', reason: isStranger ? STRANGER : refusalOf(error) }
  }
}
