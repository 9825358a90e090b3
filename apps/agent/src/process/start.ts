// Starts a user's process as a child of this process: the agent, or the holder of a PAM session.
import type { Credentials } from '../native/identity.ts'
import { actingAs } from '../native/identity.ts'
import { exitOf } from '../native/exits.ts'
import { spawnProcess, type SpawnOptions } from '../native/spawn.ts'
import type { Child } from './child.ts'

/** A command line that switches to the user by itself, with its context. */
export interface StartOrder extends SpawnOptions {
  /** The user in whose home directory it starts. */
  readonly user: Credentials & { readonly home: string }
}

/**
 * Starts a process. Either throws, or returns a child that reports its start or failure.
 * @param release called once, when the descriptors of the order are no longer needed; also when it throws
 * @throws {SystemError} when the process cannot be started
 */
export type Starter = (order: StartOrder, release: () => void) => Child

/** Starts it as a child of this process. */
export const startHere: Starter = (order, release) => {
  let pid: number
  try {
    pid = inHome(order.user, () => spawnProcess(order))
  } finally {
    release()
  }
  return (events) => {
    exitOf(pid, (exit) => events.exited(exit))
    events.started(pid)
  }
}

/**
 * Runs `act` in the home directory when the user can enter it, else in the root (as sshd does). Processes inherit it;
 * entered with the user's own permissions, which matters on a network file system that does not trust root.
 */
export function inHome<T>(user: StartOrder['user'], act: () => T): T {
  const before = process.cwd()
  try {
    actingAs(user, () => process.chdir(user.home))
  } catch {
    process.chdir('/')
  }
  try {
    return act()
  } finally {
    process.chdir(before)
  }
}
