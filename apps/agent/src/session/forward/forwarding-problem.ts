// Who may forward on this device at all, and how much.
import { basename } from 'node:path'
import { type Login, MAX_MEMBERS } from '../../login/logins.ts'

/** Accounts with these shells are for services; they get no way into the device. */
const SERVICE_SHELLS = new Set(['nologin', 'false'])

/** Why a login may not have one more connection or listener; undefined when it may. */
export function forwardingProblem(login: Login | undefined): string | undefined {
  if (!login) return 'the login has ended'
  if (login.members.size >= MAX_MEMBERS) return 'too many connections in this login'
  if (SERVICE_SHELLS.has(basename(login.account.shell))) return `user ${login.account.name} may not log in`
  return undefined
}
