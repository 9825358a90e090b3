// Permission and limit checks for forwarding on this device.
import { basename } from 'node:path'
import { type Login, MAX_MEMBERS } from '../../login/logins.ts'

/** Shells of service accounts, which may not access the device. */
const SERVICE_SHELLS = new Set(['nologin', 'false'])

/** Why a login may not open another connection or listener; undefined when it may. */
export function forwardingProblem(login: Login | undefined): string | undefined {
  if (!login) return 'the login has ended'
  if (login.members.size >= MAX_MEMBERS) return 'too many connections in this login'
  if (SERVICE_SHELLS.has(basename(login.account.shell))) return `user ${login.account.name} may not log in`
  return undefined
}
