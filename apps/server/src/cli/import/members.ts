// Members of an import: each is invited. Nobody becomes a member without their doing, and nobody an owner.
import { ApiError } from '@bowline/contract/client'
import { operations } from '@bowline/contract/operations'
import { Email, type TenantId } from '@bowline/contract/schemas/common'
import { RoleInput } from '@bowline/contract/schemas/namespace'
import type { ServerClient } from '../client/client.ts'
import { refusalOf } from './calls.ts'
import type { OldMember } from './file.ts'
import type { Line } from './report.ts'

const STRANGER =
  'Has no account, and nobody can register at this server: its operator sets BOWLINE_REGISTRATION=invited, or creates the account.'
const WAS_OWNER = 'Was the owner there; as an administrator they can be made the owner here.'

/**
 * Invites the members who are not in the namespace; those who are keep their role.
 * @param target.email of whoever imports
 * @param call undefined: nothing is sent, and all who can be invited count as created
 */
export async function importMembers(
  call: ServerClient['call'] | undefined,
  target: { readonly tenant: TenantId; readonly email: string },
  members: readonly OldMember[],
  isDryRun: boolean,
): Promise<Line[]> {
  const params = { tenant: target.tenant }
  const here = call ? (await call(operations.namespaces.get, { params })).body.members : []
  const known = new Set([target.email, ...here.map(({ email }) => email)].map((email) => email.toLowerCase()))
  const lines: Line[] = []
  for (const old of members) {
    const line = { what: 'member', name: old.email, reason: old.role === 'owner' ? WAS_OWNER : null }
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
      lines.push({ ...line, ...(await invite(call, params, invited)) })
    }
    known.add(email.data)
  }
  return lines
}

async function invite(
  call: ServerClient['call'],
  params: { readonly tenant: TenantId },
  body: { readonly email: string; readonly role: 'administrator' | 'operator' | 'observer' },
): Promise<Pick<Line, 'outcome' | 'link'> & { readonly reason?: string }> {
  try {
    const { link } = (await call(operations.members.invite, { params, body })).body
    return { outcome: 'created', link }
  } catch (error) {
    const isStranger = error instanceof ApiError && error.code === 'NOT_FOUND'
    return { outcome: 'refused', reason: isStranger ? STRANGER : refusalOf(error) }
  }
}
