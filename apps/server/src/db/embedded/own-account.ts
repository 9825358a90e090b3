// Account of root's PostgreSQL: exclusive to it, so that no other service can access the database or its files through
// a shared account.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Account } from './account.ts'

export type UserAccount = Extract<Account, { kind: 'user' }>

/** Name of a system account below {@link FIRST_ORDINARY_UID}, used if the host has it. */
const SYSTEM_ACCOUNT = 'bowline'
const FIRST_ORDINARY_UID = 1_000

/**
 * Range of uids to choose from: above those that tools assign to people, below those of systemd's dynamic users
 * (61184), and within the 65536 of a container's user namespace.
 */
const FIRST_UID = 52_000
const UIDS = 8_000

/**
 * Returns the system account `bowline`, or a uid without an account. The uid is derived from the folder, so that
 * servers of different folders do not share one; it needs no entry in /etc/passwd, which containers cannot always
 * write.
 * @param home real path of the cluster's folder
 */
export async function ownAccount(home: string): Promise<UserAccount> {
  const [users, groups] = await Promise.all([accounts('/etc/passwd'), accounts('/etc/group')])
  const system = users.find(({ name, id }) => name === SYSTEM_ACCOUNT && id > 0 && id < FIRST_ORDINARY_UID)
  if (system) return { kind: 'user', uid: system.id, gid: system.gid }
  const taken = new Set([...users, ...groups].map(({ id }) => id))
  const start = createHash('sha256').update(home).digest().readUInt32BE(0) % UIDS
  for (let step = 0; ; step += 1) {
    const id = FIRST_UID + ((start + step) % UIDS)
    // On a host where all of them are taken, the account is shared.
    if (!taken.has(id) || step === UIDS) return { kind: 'user', uid: id, gid: id }
  }
}

/** Checks if a uid has an entry in /etc/passwd. */
export async function hasEntry(uid: number): Promise<boolean> {
  return (await accounts('/etc/passwd')).some(({ id }) => id === uid)
}

/** The account `nobody` of this host; undefined if there is none. */
export async function nobodyAccount(): Promise<UserAccount | undefined> {
  const nobody = (await accounts('/etc/passwd')).find(({ name }) => name === 'nobody')
  return nobody && { kind: 'user', uid: nobody.id, gid: nobody.gid }
}

async function accounts(file: string): Promise<{ name: string; id: number; gid: number }[]> {
  return (await readFile(file, 'utf8')).split('\n').flatMap((line) => {
    const [name = '', , id, gid] = line.split(':')
    return id === undefined || id === '' ? [] : [{ name, id: Number(id), gid: Number(gid) }]
  })
}
