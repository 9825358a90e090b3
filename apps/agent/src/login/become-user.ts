// Root's last act in a process of somebody else: all threads take on the person's user, groups and nothing else. The
// program is loaded by then, so it may lie where only root can read.
import { readFileSync } from 'node:fs'
import type { Account } from './account.ts'

/**
 * Does nothing when the process already is that user.
 * @throws {Error} when any right of before is left; the caller must not go on
 */
export function becomeUser({ uid, gid, groups }: Pick<Account, 'uid' | 'gid' | 'groups'>): void {
  if (process.getuid?.() === 0) {
    process.setgroups?.([...groups])
    process.setgid?.(gid)
    process.setuid?.(uid)
  }
  const ids = [process.getuid?.(), process.geteuid?.(), process.getgid?.(), process.getegid?.()]
  if (ids.join() !== [uid, uid, gid, gid].join()) throw new Error('the user could not be changed')
  // Root keeps its capabilities across the call where the system says so (capabilities(7), SECBIT_NO_SETUID_FIXUP).
  if (uid !== 0 && !/^CapPrm:\s0+\nCapEff:\s0+$/m.test(readFileSync('/proc/self/status', 'utf8'))) {
    throw new Error('capabilities are left after the change of user')
  }
}
