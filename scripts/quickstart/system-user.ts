// The name of the account that this runs as.
import { userInfo } from 'node:os'

/** As the agent in single-user mode calls it, also in a container whose user id has no name. */
export function systemUserName(): string {
  try {
    return userInfo().username
  } catch {
    return process.env['USER'] || String(process.geteuid?.() ?? 0)
  }
}
