// Drops root's privileges in a user's process: all threads switch to the user, its groups and no capabilities. The
// program is loaded by then, so its file may be readable by root only.
import { readFileSync } from 'node:fs'
import type { Account } from './account.ts'

/**
 * Does nothing when the process already runs as that user.
 * @throws {Error} when any former privilege remains; the caller must not continue
 */
export function becomeUser({ uid, gid, groups }: Pick<Account, 'uid' | 'gid' | 'groups'>): void {
  if (process.getuid?.() === 0) {
    process.setgroups?.([...groups])
    process.setgid?.(gid)
    process.setuid?.(uid)
  }
  const ids = [process.getuid?.(), process.geteuid?.(), process.getgid?.(), process.getegid?.()]
  if (ids.join() !== [uid, uid, gid, gid].join()) throw new Error('the user could not be changed')
  // The system can configure root to keep its capabilities across the call (capabilities(7), SECBIT_NO_SETUID_FIXUP).
  if (uid !== 0 && !/^CapPrm:\s0+\nCapEff:\s0+$/m.test(readFileSync('/proc/self/status', 'utf8'))) {
    throw new Error('capabilities are left after the change of user')
  }
}
