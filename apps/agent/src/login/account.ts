// The accounts a login may use: the users of this system when the agent is root, else only the agent's own user.
import { userInfo } from 'node:os'
import type { Credentials } from '../native/identity.ts'
import { groupsOf, passwdEntry } from '../native/accounts.ts'

export interface Account extends Credentials {
  readonly name: string
  readonly home: string
  /** Absolute path. */
  readonly shell: string
}

const FALLBACK_SHELL = '/bin/sh'

/** @returns undefined when the system has no such user */
export async function systemAccount(name: string): Promise<Account | undefined> {
  const entry = await passwdEntry(name)
  if (!entry) return undefined
  return {
    name: entry.name,
    uid: entry.uid,
    gid: entry.gid,
    groups: await groupsOf(entry.name, entry.gid),
    home: entry.home || '/',
    shell: entry.shell || FALLBACK_SHELL,
  }
}

/** The agent's own user, even in a container whose user id has no name. */
export function ownAccount(env: NodeJS.ProcessEnv): Account {
  const identity = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, groups: process.getgroups?.() ?? [] }
  const shell = env['SHELL']?.startsWith('/') ? env['SHELL'] : FALLBACK_SHELL
  try {
    const { username, homedir, shell: own } = userInfo()
    return { ...identity, name: username, home: homedir || '/', shell: own || shell }
  } catch {
    return { ...identity, name: env['USER'] || String(identity.uid), home: env['HOME'] || '/', shell }
  }
}
