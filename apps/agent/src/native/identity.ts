// Acts with another user's permissions for the length of one synchronous call. Linux keeps credentials per thread: the
// system calls below change only the main thread, and neither its real nor its saved user id, so that the user cannot
// signal the agent meanwhile. glibc's own functions would change every thread.
import koffi from 'koffi'
import { cMemory } from './memory.ts'
import { checked } from './system-error.ts'

type Argument = ['long', number] | ['void *', Buffer]
const libc = koffi.load(null)
const syscall: (number: number, ...args: (Argument[0] | Argument[1])[]) => number = libc.func(
  'long syscall(long number, ...)',
)

/** System call numbers; the 64-bit ones take 32-bit ids on both architectures. */
const CALLS: Readonly<Record<string, { setresuid: number; setresgid: number; setgroups: number }>> = {
  x64: { setresuid: 117, setresgid: 119, setgroups: 116 },
  arm64: { setresuid: 147, setresgid: 149, setgroups: 159 },
}
const KEEP = -1

/** Credentials of a process. `groups` are all of the user's groups, the primary one included. */
export interface Credentials {
  readonly uid: number
  readonly gid: number
  readonly groups: readonly number[]
}

/**
 * Runs `act` with the effective permissions of `user`, for files, sockets and the peer credentials of unix connections.
 * `act` must be synchronous; work it defers runs with the agent's own permissions. Needs root unless `user` is the
 * agent.
 * @throws {SystemError} when the permissions cannot be assumed; `act` has not run then
 */
export function actingAs<T>(user: Credentials, act: () => T): T {
  if (isSelf(user)) return act()
  const calls = CALLS[process.arch]
  if (!calls) throw new Error(`changing users is not known on ${process.arch}`)
  const own = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, groups: process.getgroups?.() ?? [] }
  try {
    setGroups(calls.setgroups, user.groups)
    checked('setresgid', syscall(calls.setresgid, 'long', KEEP, 'long', user.gid, 'long', KEEP))
    checked('setresuid', syscall(calls.setresuid, 'long', KEEP, 'long', user.uid, 'long', KEEP))
    return act()
  } finally {
    try {
      checked('setresuid', syscall(calls.setresuid, 'long', KEEP, 'long', own.uid, 'long', KEEP))
      checked('setresgid', syscall(calls.setresgid, 'long', KEEP, 'long', own.gid, 'long', KEEP))
      setGroups(calls.setgroups, own.groups)
    } catch {
      // Continuing with another user's permissions would have unpredictable consequences.
      process.abort()
    }
  }
}

function setGroups(call: number, groups: readonly number[]): void {
  const list = cMemory(groups.length * 4)
  groups.forEach((group, index) => list.writeUInt32LE(group, index * 4))
  checked('setgroups', syscall(call, 'long', groups.length, 'void *', list))
}

/** Whether the agent itself runs as this user with these groups. */
export function isSelf(user: Credentials): boolean {
  const own = new Set([process.getegid?.(), ...(process.getgroups?.() ?? [])])
  const wanted = new Set([user.gid, ...user.groups])
  const sameGroups = own.size === wanted.size && [...wanted].every((group) => own.has(group))
  return user.uid === process.geteuid?.() && user.gid === process.getegid?.() && sameGroups
}
