// The name of the account that this process runs as.
import { userInfo } from 'node:os'

/** The same name as the agent's in single-user mode, even in a container whose user id has no name. */
export function systemUserName(): string {
  try {
    return userInfo().username
  } catch {
    return process.env['USER'] || String(process.geteuid?.() ?? 0)
  }
}
